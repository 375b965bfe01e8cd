# All figures on one sheet: awk -f tools/sheet.awk FIGURE.svg ... > SHEET.svg
# Three in a row, each an <svg> within the sheet's, with the title, description
# and ids that it has by itself (plots/style.gp).
BEGIN {
    columns = 3
    width = 900
    height = 600
    gap = 20
    across = columns * (width + gap) + gap
    down = int((ARGC - 1 + columns - 1) / columns) * (height + gap) + gap
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" " \
           "xmlns:xlink=\"http://www.w3.org/1999/xlink\" role=\"group\" " \
           "aria-labelledby=\"sheet-title sheet-desc\" " \
           "width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
           across, down, across, down
    print "<title id=\"sheet-title\">Self-attention, measured: every figure</title>"
    printf "<desc id=\"sheet-desc\">%d figures, each with a title and a " \
           "description of its own.</desc>\n", ARGC - 1
    printf "<rect width=\"%d\" height=\"%d\" fill=\"#dddddd\"/>\n", across, down
}

FNR == 1 {
    place = figures++
    inside = 0
}

# without the line that only a file by itself may begin with
/^<svg/ {
    inside = 1
    sub(/^<svg/, sprintf("<svg x=\"%d\" y=\"%d\"",
        gap + place % columns * (width + gap),
        gap + int(place / columns) * (height + gap)))
}
inside

END {
    print "</svg>"
}
