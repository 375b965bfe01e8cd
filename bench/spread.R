# Spread of scores in R: Rscript spread.R N THREADS
# The fastest of R's methods for normal numbers, chunks of 65536 numbers, a
# process a thread. R has no single precision.
arguments <- as.integer(commandArgs(TRUE))
N <- arguments[1]
threads <- arguments[2]
RNGkind("Mersenne-Twister", "Kinderman-Ramage")

scores <- function(d_k, pairs) {
    columns <- 65536 %/% d_k
    unlist(lapply(seq(1, pairs, by = columns), function(i) {
        m <- min(columns, pairs - i + 1)
        .colSums(rnorm(m * d_k) * rnorm(m * d_k), d_k, m)
    }))
}

start <- proc.time()[["elapsed"]]
shares <- diff(round(seq(0, N, length.out = threads + 1)))
for (d_k in 2^(0:10)) {
    s <- unlist(parallel::mclapply(seq_along(shares), function(t) {
        set.seed(1000 * d_k + t)
        scores(d_k, shares[t])
    }, mc.cores = threads, mc.set.seed = FALSE))
    cat(d_k, format(var(s), digits = 9), "\n")
}
cat("seconds", proc.time()[["elapsed"]] - start, "\n")
