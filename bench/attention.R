# One head of attention in R: Rscript attention.R N D
# 256 queries at a time, a column each; BLAS has the threads. R has no float.
arguments <- as.integer(commandArgs(TRUE))
n <- arguments[1]
d <- arguments[2]
CHUNK <- 256
set.seed(1)
normal <- function() matrix(rnorm(d * n), d, n)
Q <- normal()
K <- normal()
V <- normal()
invisible(crossprod(K[, 1:64])) # BLAS starts its threads
start <- proc.time()[["elapsed"]]
O <- matrix(0, d, n)
scaled <- Q / sqrt(d)
for (i in seq(1, n, by = CHUNK)) {
    some <- i:min(i + CHUNK - 1, n)
    S <- crossprod(K, scaled[, some])
    A <- exp(S - rep(apply(S, 2, max), each = n))
    O[, some] <- (V %*% A) / rep(colSums(A), each = d)
}
seconds <- proc.time()[["elapsed"]] - start
a <- exp(crossprod(K, Q[, n]) / sqrt(d))
cat("seconds", seconds, "error", max(abs(O[, n] - V %*% a / sum(a))), "\n")
