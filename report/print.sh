#!/bin/sh
# A page as a PDF: print.sh PAGE.html PAGE.pdf
set -eu
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT
# Chromium's sandbox does not work for root, as in a container.
sandbox=
[ "$(id -u)" -ne 0 ] || sandbox=--no-sandbox
page=$(realpath "$1")
rm -f "$2"
# shellcheck disable=SC2086
"${CHROMIUM:-chromium}" --headless $sandbox --disable-gpu --user-data-dir="$profile" \
    --no-pdf-header-footer --generate-pdf-document-outline \
    --print-to-pdf="$2" "file://$page" 2>"$profile/log" || true
# Its exit status is 0 whatever happens.
[ -s "$2" ] || { cat "$profile/log" >&2; exit 1; }
