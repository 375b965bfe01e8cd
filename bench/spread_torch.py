"""Spread of scores in PyTorch: spread_torch.py N THREADS

Float32, buffers of 32768 numbers that stay in cache, a generator a thread (one
generator alone fills on one thread only).
"""
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import torch

N, threads = int(sys.argv[1]), int(sys.argv[2])
NUMBERS = 1 << 15
torch.set_num_threads(1)  # within an operation: the pool has the threads


def scores(d_k, generator, out):
    """<q, k> of len(out) pairs."""
    rows = NUMBERS // d_k
    q, k = torch.empty((2, rows, d_k))
    for i in range(0, len(out), rows):
        m = min(rows, len(out) - i)
        q[:m].normal_(generator=generator)
        k[:m].normal_(generator=generator)
        torch.sum(q[:m].mul_(k[:m]), 1, out=out[i:i + m])


start = time.perf_counter()
generators = [torch.Generator().manual_seed(1 + t) for t in range(threads)]
with ThreadPoolExecutor(threads) as pool:
    for d_k in [2 ** i for i in range(11)]:
        s = torch.empty(N)
        list(pool.map(scores, [d_k] * threads, generators,
                      torch.tensor_split(s, threads)))
        print(d_k, s.double().var(unbiased=True).item())
print("seconds", time.perf_counter() - start)
