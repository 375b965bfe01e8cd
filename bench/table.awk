# The tables of bench.md from rounds, one a line: part=jobs|memory|gemm.
# Medians over the rounds; a ratio is one round's, so its median is taken last.

function sorted(x, n,    i, j, t) {
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && x[j - 1] > x[j]; j--) {
            t = x[j]; x[j] = x[j - 1]; x[j - 1] = t
        }
}

# The median of column c over the rows of key k; least and most are set.
function median(k, c,    x, i, n) {
    n = rows[k]
    for (i = 1; i <= n; i++)
        x[i] = cell[k, i, c]
    sorted(x, n)
    least = x[1]; most = x[n]
    return n % 2 ? x[(n + 1) / 2] : (x[n / 2] + x[n / 2 + 1]) / 2
}

function verdict(ratio, target) {
    if (target == "-")
        return "– | "
    return "≥ " target " | " (ratio >= target ? "yes" : "no")
}

{
    key = part == "gemm" ? $1 : $1 FS $2
    if (!(key in rows))
        keys[++count] = key
    r = ++rows[key]
    for (c = 1; c <= NF; c++)
        cell[key, r, c] = c > 3 ? $c + 0 : $c
    cell[key, r, "ratio"] = part == "gemm" ? $4 / $5 : $7 / $5
}

END {
    if (part == "jobs") {
        print "| job | peer | rounds | ours, s | theirs, s | ratio | least – most | target | met | whole commands, s |"
        print "|---|---|--:|--:|--:|--:|--:|--:|---|--:|"
    } else if (part == "gemm") {
        print "| precision | kernel | rounds | ours, GFLOP/s | gemm, GFLOP/s | ratio | least – most | target | met |"
        print "|---|---|--:|--:|--:|--:|--:|--:|---|"
    } else {
        print "| job | who | peak, MiB |"
        print "|---|---|--:|"
    }
    for (i = 1; i <= count; i++) {
        k = keys[i]
        job = cell[k, 1, 1]
        if (part == "memory") {
            if (cell[k, 1, 8] == 0)
                continue
            if (job != before)
                printf "| %s | ours | %.0f |\n", job, median(k, 8) / 1024
            before = job
            if (cell[k, 1, 9] > 0)
                printf "| %s | %s | %.0f |\n", job, cell[k, 1, 2], median(k, 9) / 1024
            continue
        }
        ratio = median(k, "ratio")
        spread = sprintf("%.3g – %.3g", least, most)
        if (part == "gemm")
            printf "| %s | %s | %d | %.3g | %.3g | %.2f | %s | %s |\n", job, cell[k, 1, 2], rows[k],
                median(k, 4), median(k, 5), ratio, spread, verdict(ratio, cell[k, 1, 3])
        else
            printf "| %s | %s | %d | %.3g | %.3g | %.3g | %s | %s | %.3g, %.3g |\n", job, cell[k, 1, 2], rows[k],
                median(k, 5), median(k, 7), ratio, spread, verdict(ratio, cell[k, 1, 3]),
                median(k, 4), median(k, 6)
    }
}
