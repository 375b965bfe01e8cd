"""One head of attention in NumPy:
attention.py N D double|float THREADS whole|chunks

whole: as people write it. chunks: 64 queries at a time, in place, the division
left to the end, a chunk a thread (run it with OPENBLAS_NUM_THREADS=1).
"""
import resource
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

n, d, precision, threads, way = sys.argv[1:]
n, d, threads = int(n), int(d), int(threads)
dtype = {"double": np.float64, "float": np.float32}[precision]
CHUNK = 64


def whole(Q, K, V):
    S = Q @ K.T / dtype(np.sqrt(d))
    A = np.exp(S - S.max(axis=1, keepdims=True))
    A /= A.sum(axis=1, keepdims=True)
    return A @ V


def chunks(Q, K, V):
    O = np.empty_like(V)
    Q = Q / dtype(np.sqrt(d))
    starts = range(0, n, CHUNK)

    def work(t):
        S = np.empty((CHUNK, n), dtype)
        for i in starts[t::threads]:
            s = S[:min(CHUNK, n - i)]
            np.matmul(Q[i:i + CHUNK], K.T, out=s)
            s -= s.max(axis=1, keepdims=True)
            np.exp(s, out=s)
            np.matmul(s, V, out=O[i:i + CHUNK])
            O[i:i + CHUNK] /= s.sum(axis=1, keepdims=True)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(threads)))
    return O


rng = np.random.default_rng(1)
Q, K, V = rng.standard_normal((3, n, d)).astype(dtype)
attend = {"whole": whole, "chunks": chunks}[way]
np.matmul(K[:64], K[:64].T)  # BLAS starts its threads
start = time.perf_counter()
O = attend(Q, K, V)
seconds = time.perf_counter() - start

Q, K, V = (M.astype(np.float64) for M in (Q[-1], K, V))
a = np.exp(K @ Q / np.sqrt(d))  # the last query, in double
error = np.abs(O[-1] - a @ V / a.sum()).max()
print("seconds", seconds, "peak_kib",
      resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, "error", error)
