# What attention costs: multiply-adds and bytes against the number of tokens.
# Theory: lines. Counted in the loops: points.
stats dat index 'sweep' using "d" nooutput name 'D'
stats dat index 'sweep' using "n" nooutput name 'T'
stats dat index 'long' using "n" nooutput name 'L'
d = D_min
left = 0.7 * T_min
right = 1.6 * L_max
set multiplot layout 1,2 title sprintf("Twice the tokens, four times the work; \
the memory need not follow\n{/*0.8 one head, d = %d; lines: theory, points: \
counted in the running code}", d)
set logscale x 2
set logscale y 10
set mytics 1
set format y '10^{%T}'
set xlabel 'tokens n'
set xrange [left:right]
set xtics 4
set title 'multiply-adds'
set yrange [1e4:2e12]
set ytics 100
set arrow 1 from 1.5 * d,graph 0 to 1.5 * d,graph 0.5 nohead lt 7 lw 1.5
set label 1 'n = 1.5 d' at 1.5 * d,graph 0.55 center textcolor lt 7
set label 2 '2n^2d, scores and sum' at T_max,4e10 right textcolor lt 1
set label 3 '3nd^2, projections' at right / 1.2,4e5 right textcolor lt 2
plot 2.0 * x**2 * d with lines lt 1, 3.0 * x * d**2 with lines lt 2, \
     dat index 'sweep' using "n":"attention" with points lt 1, \
     dat index 'sweep' using "n":"projections" with points lt 2
unset arrow 1
unset label
set title 'bytes'
set yrange [1e3:1e11]
set label 1 '8n^2, the weights' at T_max,2e9 right textcolor lt 1
set label 2 '32nd, Q, K, V, O' at right,5e5 right textcolor lt 7
set label 3 'streamed: a tile + n' at right / 1.2,5e4 right \
    textcolor lt 3
plot 8.0 * x**2 with lines lt 1, 32.0 * x * d with lines lt 7 lw 1.5, \
     dat index 'sweep' using "n":(column("layer_bytes") - 24 * \
         column("n") * column("d")) with points lt 1, \
     256.0 * (128 + 4 * (2 * d + 2)) + 512 + x with lines lt 3, \
     dat index 'sweep' using "n":"stream_bytes" with points lt 3, \
     dat index 'long' using "n":"stream_bytes" with points lt 3
unset multiplot
