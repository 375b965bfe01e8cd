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
set title sprintf("Whom “%s” listens to\n\
{/*0.8 attention weights over its %d keys%s}", asked, n, \
    quoted > 0 ? "; marks: the digits on the board" : "")
set ylabel 'attention weight'
set xrange [0.4:n + 0.6]
set yrange [0:1.15 * W_max]
set xtics scale 0 noenhanced
set grid noxtics
if (n > 8) { set xtics rotate by 40 right }
set boxwidth 0.5
set style fill solid 0.85 noborder
plot dat index 'moves' using "place":"weight":xtic(stringcolumn("word")) \
         with boxes lt 1, \
     dat index 'moves' using "place":\
         (n > 16 ? 1/0 : column("weight") + 0.05 * W_max):\
         (sprintf("%.4f", column("weight"))) with labels textcolor lt 1, \
     dat index 'moves' using (column("place") + 0.33):\
         (quoted > 0 ? column("predicted") : 1/0):\
         (0.08):(0) with vectors nohead lt 2 dt 1 lw 4
