# The ledger as one table: claims.awk docs/ledger.tsv results/*.claims.tsv
#
# Lists every claim of the ledger in the lecture's order with what the programs
# found, then the suite's own verdict. Exit status 1 unless that is good.

BEGIN { FS = "\t"; limit = 40 }

FNR == 1 { file++; next } # the row of names

file == 1 {
    order[++claims] = $1
    section[$1] = $2
    shares[$1] = $4
    statement[$1] = $5
    next
}

{
    claim = $1
    sub(/\/.*/, "", claim)
    if (!(claim in section)) {
        printf "claims: %s is not in the ledger\n", $1
        unknown++
    }
    lines[claim]++
    line[claim, lines[claim]] = $0
}

function show(text,    f) {
    split(text, f, "\t")
    printf "  %-34s %-6s %12s %12s %11s %9s %9s %8s  %s\n", f[1], f[2], \
        short(f[3]), short(f[4]), short(f[5]), short(f[6]), short(f[7]), \
        f[9], painted(f[11])
    count(f)
}

# -v colour=1: as the programs do on a terminal.
function painted(verdict) {
    if (!colour || verdict == "-")
        return verdict
    return (verdict ~ /HOLDS|^CONSISTENT/ ? "\033[32m" : \
        verdict ~ /WEAK|INCONCLUSIVE/ ? "\033[33m" : "\033[1;31m") \
        verdict "\033[0m"
}

function short(x) { return x == "-" ? x : sprintf("%.5g", x) }

function count(f,    claim) {
    verdicts[f[11]]++
    claim = f[1]
    sub(/\/.*/, "", claim)
    if (f[2] == "approx")
        checks++
    if (f[2] != "stat" || shares[claim] != "")
        return
    checks++
    stat++
    chi2 += f[6] * f[6]
    if (f[7] != "-" && (smallest == "" || f[7] + 0 < smallest))
        smallest = f[7] + 0
}

END {
    printf "  %-34s %-6s %12s %12s %11s %9s %9s %8s  %s\n", "claim", "kind", \
        "predicted", "measured", "+-", "z,ratio", "p", "N", "verdict"
    for (i = 1; i <= claims; i++) {
        id = order[i]
        if (section[id] != last)
            printf "\n%s\n", section[id]
        last = section[id]
        printf "\n  %s\n", statement[id]
        if (!lines[id]) {
            printf "  %-34s not measured\n", id
            missing++
        }
        for (k = 1; k <= lines[id]; k++)
            show(line[id, k])
    }
    bad = verdicts["CONTRADICTED"] + verdicts["INCONSISTENT"]
    open_ = verdicts["INCONCLUSIVE"] + 0
    good = verdicts["HOLDS"] + verdicts["CONSISTENT"] + verdicts["WEAK"]
    printf "\n%d claims, %d checks: %d hold (%d of them weakly), %d " \
        "contradicted, %d inconclusive, %d not measured\n", claims, \
        good + bad + open_, good, verdicts["WEAK"], bad, open_, missing
    if (stat > 0)
        printf "%d statistical checks (%d with approximate ones, %d allowed " \
            "for): smallest p %.3g, about %.3g expected; sum of z^2 %.1f, " \
            "about %d expected\n", stat, checks, limit, smallest, \
            1 / (stat + 1), chi2, stat
    verdict = bad ? "CONTRADICTED" : \
        (open_ + missing + unknown || checks > limit) ? "INCONCLUSIVE" : "HOLDS"
    printf "suite: %s\n", painted(verdict)
    exit verdict != "HOLDS"
}
