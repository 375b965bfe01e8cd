#!/bin/sh
# Which lines of lib/ did no test reach? coverage.sh FOLDER_OF_OBJECTS TABLE
# Each must stand in the table, as it is in its file and with the reason:
#   FILE<tab>LINE<tab>WHY
# One that does not is printed, and so is an entry whose line is gone; then the
# status is 1. A line in the table that was reached all the same is no fault:
# what a processor has decides on some.
set -eu
report=$(mktemp -d)
trap 'rm -rf "$report"' EXIT
gcovr --root . --filter lib/ --sonarqube "$report/xml" "$1"
tr '>' '\n' <"$report/xml" >"$report/elements"
LC_ALL=C awk '
# The line of the file without the blanks around it.
function text_of(file, number,    line, k) {
    if (!(file in read)) {
        read[file] = 1
        for (k = 1; (getline line < file) > 0; k++) {
            gsub(/^[ \t]+|[ \t]+$/, "", line)
            text[file, k] = line
            stands[file, line] = 1
        }
        close(file)
    }
    return text[file, number]
}
FNR == NR {
    if ($0 ~ /^#/ || $0 == "") next
    split($0, entry, "\t")
    why[entry[1], entry[2]] = entry[3]
    text_of(entry[1], 1)
    if (entry[3] == "" || !((entry[1], entry[2]) in stands)) {
        print "coverage: " FILENAME ":" FNR ": no reason, or no such line"
        failed++
    }
    next
}
/<file / { split($0, part, "\""); file = part[2] }
/<lineToCover / {
    split($0, part, "\"")
    number = /lineNumber="[0-9]+" covered/ ? part[2] : part[4]
    lines++
    if ($0 !~ /covered="false"/) next
    line = text_of(file, number)
    if ((file, line) in why) {
        explained++
        next
    }
    print file ":" number ": " line
    failed++
}
END {
    printf "coverage: %d lines of lib/, %d not reached and explained, %d faults\n",
        lines, explained, failed
    exit lines == 0 || failed > 0
}' "$2" "$report/elements"
