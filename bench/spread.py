"""Spread of scores in NumPy: spread.py N THREADS

Float32, buffers of 32768 numbers that stay in cache, a generator a thread
(filling and multiplying let go of Python's lock).
"""
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

N, threads = int(sys.argv[1]), int(sys.argv[2])
NUMBERS = 1 << 15


def scores(d_k, generator, out):
    """<q, k> of len(out) pairs."""
    rows = NUMBERS // d_k
    q, k = np.empty((2, rows, d_k), np.float32)
    for i in range(0, len(out), rows):
        m = min(rows, len(out) - i)
        generator.standard_normal(out=q[:m], dtype=np.float32)
        generator.standard_normal(out=k[:m], dtype=np.float32)
        np.einsum("ij,ij->i", q[:m], k[:m], out=out[i:i + m])


start = time.perf_counter()
generators = [np.random.Generator(np.random.SFC64(s))
              for s in np.random.SeedSequence(1).spawn(threads)]
with ThreadPoolExecutor(threads) as pool:
    for d_k in [2 ** i for i in range(11)]:
        s = np.empty(N, np.float32)
        list(pool.map(scores, [d_k] * threads, generators,
                      np.array_split(s, threads)))
        print(d_k, s.var(ddof=1, dtype=np.float64))
print("seconds", time.perf_counter() - start)
