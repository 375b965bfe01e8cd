#!/bin/sh
# The report on a folder of results: build.sh results > report.html
# The same inputs give the same bytes: no date, no path, no version.
set -eu
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A bad verdict (1) is something to report; anything else stops.
LC_ALL=C awk -f tools/claims.awk docs/ledger.tsv "$1"/*.claims.tsv >"$work/claims" || [ $? -eq 1 ]
tail -n 3 "$work/claims" >"$work/suite"

awk -v results="$1" -f report/assemble.awk part=sections report/sections.md \
    part=readme README.md part=ledger docs/ledger.tsv \
    part=lines "$1"/*.claims.tsv part=suite "$work/suite" \
    part=evidence docs/evidence.md part=derivations docs/derivations.md \
    >"$work/report.md"

{ echo '<style>'; cat report/style.css; echo '</style>'; } >"$work/style.html"
{ echo '<script>'; cat report/report.js; echo '</script>'; } >"$work/script.html"

LC_ALL=C.UTF-8 pandoc --from commonmark+yaml_metadata_block+tex_math_dollars+pipe_tables+raw_attribute+attributes+smart \
    --to html5 --mathml --no-highlight --section-divs --wrap=preserve \
    --toc --toc-depth=2 --lua-filter report/filter.lua \
    --template report/template.html --fail-if-warnings \
    --include-in-header "$work/style.html" \
    --include-after-body "$work/script.html" "$work/report.md"
