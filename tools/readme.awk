# Refresh the README's table of claims from the results:
# readme.awk docs/ledger.tsv results/*.claims.tsv README.md > new README
#
# A claim's row shows the line of its own name, or where it has none, each of
# its parts.

BEGIN { FS = "\t" }

FILENAME ~ /ledger.tsv$/ {
    if (FNR > 1) {
        order[++claims] = $1
        program[$1] = $3
        statement[$1] = $5
    }
    next
}

FILENAME ~ /claims.tsv$/ {
    if (FNR == 1)
        next
    claim = $1
    part = sub(/\/.*/, "", claim) ? substr($1, length(claim) + 2) : ""
    gsub(/_/, " ", part)
    if (part == "")
        own[claim] = cells($0)
    else
        parts[claim] = parts[claim] (parts[claim] == "" ? "" : "\n") \
            part "\t" cells($0)
    next
}

function cells(text,    f) {
    split(text, f, "\t")
    # a sweep: chi^2 of f[3] points, whose standard deviation is sqrt(2 f[3])
    if (f[2] == "stat" && f[3] > 0 && (f[5] * f[5] / (2 * f[3]) - 1) ^ 2 < 1e-12)
        return "χ² of " f[3] "\tχ² " short(f[4]) "\t" f[11]
    return short(f[3]) "\t" short(f[4]) "\t" f[11]
}

function short(x) { return x == "-" ? "–" : sprintf("%.5g", x) }

function row(id, text, first,    f, name) {
    split(text, f, "\t")
    if (first)
        printf "| %s | `%s` | `%s` | %s | %s | %s |\n", statement[id], id, \
            program[id], f[1], f[2], f[3]
    else
        printf "| | %s | | %s | %s | %s |\n", f[1], f[2], f[3], f[4]
}

function table(    i, k, n, id, each) {
    print "| claim | id | program | predicted | measured | verdict |"
    print "|---|---|---|---|---|---|"
    for (i = 1; i <= claims; i++) {
        id = order[i]
        if (id in own) {
            row(id, own[id], 1)
            continue
        }
        n = split(parts[id], each, "\n")
        printf "| %s | `%s` | `%s` | | | |\n", statement[id], id, program[id]
        for (k = 1; k <= n; k++)
            row(id, each[k], 0)
    }
}

/^<!-- claims: end -->/ { inside = 0 }
!inside { print }
/^<!-- claims: begin/ {
    table()
    inside = 1
}
