"""One head of attention in PyTorch:
attention_torch.py N D double|float THREADS whole|chunks|fused

whole: as people write it. chunks: 64 queries at a time into a buffer, a chunk a
thread (run it with OPENBLAS_NUM_THREADS=1). fused: PyTorch's own
scaled_dot_product_attention, from version 2.0 on.
"""
import math
import resource
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import torch

n, d, precision, threads, way = sys.argv[1:]
n, d, threads = int(n), int(d), int(threads)
dtype = {"double": torch.float64, "float": torch.float32}[precision]
CHUNK = 64


def whole(Q, K, V):
    return torch.softmax(Q @ K.T / math.sqrt(d), dim=1) @ V


def chunks(Q, K, V):
    O = torch.empty_like(V)
    Q = Q / math.sqrt(d)
    starts = range(0, n, CHUNK)
    torch.set_num_threads(1)  # within an operation: the pool has the threads

    def work(t):
        S = torch.empty((CHUNK, n), dtype=dtype)
        for i in starts[t::threads]:
            s = S[:min(CHUNK, n - i)]
            torch.mm(Q[i:i + CHUNK], K.T, out=s)
            torch.mm(torch.softmax(s, dim=1), V, out=O[i:i + CHUNK])

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(threads)))
    return O


def fused(Q, K, V):
    attention = torch.nn.functional.scaled_dot_product_attention
    return attention(Q[None, None], K[None, None], V[None, None])[0, 0]


torch.manual_seed(1)
torch.set_num_threads(threads)
Q, K, V = torch.randn((3, n, d), dtype=dtype)
attend = {"whole": whole, "chunks": chunks, "fused": fused}[way]
with torch.no_grad():
    K[:64] @ K[:64].T  # BLAS starts its threads
    start = time.perf_counter()
    O = attend(Q, K, V)
    seconds = time.perf_counter() - start

    Q, K, V = (M.double() for M in (Q[-1], K, V))
    a = torch.softmax(K @ Q / math.sqrt(d), dim=0)  # the last query, in double
    error = (O[-1] - a @ V).abs().max().item()
print("seconds", seconds, "peak_kib",
      resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, "error", error)
