# The weights that the lecture's "hungry" gives to the words of its sentence:
# bars with their numbers, and beside each the digits on the board.
asked = ''
quoted = 0
stats dat index 'asked' using (asked = stringcolumn("query"), column("n")) \
    nooutput name 'K'
stats dat index 'moves' using (quoted = quoted + column("tolerance")) \
    nooutput name 'Q'
stats dat index 'moves' using "weight" nooutput name 'W'
n = K_max
heading = sprintf("Whom “%s” listens to", asked)
bars = ''
longest = 0
stats dat index 'moves' using (w = stringcolumn("word"), bars = bars . \
    sprintf("%s%s %.4f", bars eq '' ? '' : ', ', w, column("weight")), \
    longest = strlen(w) > longest ? strlen(w) : longest) nooutput
longest = longest < 20 ? longest : 20
if (n > 30) { bars = sprintf("the largest is %.4f", W_max) }
description = sprintf("A bar for each of the %d keys that “%s” attends to, as \
high as its attention weight: %s.%s", n, asked, bars, \
    quoted > 0 ? " Marks beside them show the digits on the board." : "")
set title titled(sprintf("Whom “%s” listens to", literal(asked)), \
    sprintf("attention weights over its %d keys%s", n, \
    quoted > 0 ? "; marks: the digits on the board" : ""))
set ylabel 'attention weight'
set xrange [0.4:n + 0.6]
set yrange [0:1.15 * W_max]
set xtics scale 0 noenhanced
set grid noxtics
# as many words, and as much of them, as there is room for
upright = n * (longest + 1) > 60 && out ne "-"
every_nth = ceil(out eq "-" ? n * (longest + 1) / (columns - 12.0) : n / 30.0)
if (upright) {
    set xtics rotate by 90 right
    set bmargin at screen 0.05 + 0.021 * longest
}
set boxwidth 0.5
set style fill solid 0.85 noborder
plot dat index 'moves' using "place":"weight":\
         xtic(int(column("place") - 1) % every_nth ? "" : \
             stringcolumn("word")[:20]) \
         with boxes lt 1, \
     dat index 'moves' using "place":\
         (n > 10 ? 1/0 : column("weight") + 0.05 * W_max):\
         (sprintf("%.4f", column("weight"))) with labels textcolor lt 1, \
     dat index 'moves' using (column("place") + 0.33):\
         (quoted > 0 ? column("predicted") : 1/0):\
         (0.08):(0) with vectors nohead lt 2 dt 1 lw 4
