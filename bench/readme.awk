# Refresh the README's table of speed: readme.awk bench.md README.md > new README
#
# Ratios of bench.md, theirs over ours: a row for each job and way of doing it,
# a column for each peer. OpenBLAS's kernel as installed is left out.

BEGIN {
    FS = " *[|] *"
    columns = split("NumPy,PyTorch,Octave,R,plain GSL", peer, ",")
}

FILENAME ~ /bench.md$/ {
    if (NF > 10 && $2 ~ /, [Nn] = / && $3 !~ /as installed/) {
        job = $2
        if ($3 ~ /in chunks|people write it/)
            job = job ($3 ~ /in chunks/ ? ", in chunks" : ", as people write it")
        if (!(job in known))
            jobs[++count] = job
        known[job]
        for (c = 1; c <= columns; c++)
            if (index($3, peer[c] " ") == 1 || index($3, peer[c] ",") == 1)
                ratio[job, c] = short($7)
    }
    next
}

# Two digits.
function short(x) { return x < 9.95 ? sprintf("%.1f", x) : sprintf("%.0f", x) }

function table(    i, c, line, rule) {
    line = "| job |"
    rule = "|---|"
    for (c = 1; c <= columns; c++) {
        line = line " " peer[c] " |"
        rule = rule "--:|"
    }
    print line
    print rule
    for (i = 1; i <= count; i++) {
        line = "| " jobs[i] " |"
        for (c = 1; c <= columns; c++)
            line = line " " ratio[jobs[i], c] (ratio[jobs[i], c] == "" ? "|" : " |")
        print line
    }
}

/^\| job \|/ { table(); inside = 1; next }
inside && /^\|/ { next }
{ inside = 0; print }
