# How exact a lookup table is, against the score gap. Left: where the weight
# becomes 1 in a double. Right: the whole way to 0, with the Jacobian's norms.
# Lines: predicted. Points: measured; crosses: 1 − a as a double has it.
stats dat index 'thresholds' using "n" nooutput name 'K'
stats dat index 'thresholds' using "one" nooutput name 'ONE'
stats dat index 'thresholds' using "top" nooutput name 'TOP'
stats dat index 'thresholds' using "zero" nooutput name 'ZERO'
stats dat index 'thresholds' using "own" nooutput name 'OWN'
# rows of the largest dictionary, and every step-th gap of them
big(x) = column("n") == K_max ? x : 1/0
some(x, step) = column("n") == K_max && \
    column("gap") - step * floor(column("gap") / step) == 0 ? x : 1/0
heading = "Exact where it saturates, and there no gradient passes"
description = sprintf("Two panels over the score gap b of a lookup table of %d \
keys, logarithmic upwards. Left, the error 1 − weight of the key falls like \
(n − 1)e^−b; a double has the weight as 1 from %.1f or %.1f on, as the sum \
runs. Right, it falls on to 0 at %.0f, and trace and Frobenius norm of the \
Jacobian with it. The measured points lie on the predicted lines.", K_max, \
    TOP_max, ONE_max, ZERO_max)
set multiplot @panels title titled(heading, sprintf("a lookup table of %d keys; \
lines: predicted, points: measured%s", K_max, \
    OWN_max > 0 ? "; diamonds: your own keys" : ""))
set logscale y 10
set format y '10^{%T}'
set xlabel 'score gap b'
set title '1 − weight of the key'
set xrange [-1:70]
set xtics 20
set yrange [1e-30:1e2]
set ytics 1e-30,1e6
set arrow 1 from TOP_max, graph 0 to TOP_max, graph 0.95 nohead lt 3 lw 2
set arrow 2 from ONE_max, graph 0 to ONE_max, graph 0.95 nohead lt 2 lw 2
set label 1 "weight 1 from\n53 ln 2, largest\nsummed first" \
    at TOP_max - 1,1e-21 right textcolor lt 3
set label 2 "53 ln 2\n+ ln(n−1),\nlargest\nlast" at ONE_max + 1,1e-1 left \
    textcolor lt 2
set label 4 "× 1 − a,\ncomputed" at 4,1e-13 left textcolor lt 7
set label 3 '(n−1)e^{−b}' at 13,1e-1 left textcolor lt 1
plot dat index 'sweep' using "gap":(big(column("rest_predicted"))) \
         with lines lt 1, \
     dat index 'sweep' using "gap":(some(column("rest"), 5)) \
         with points lt 1, \
     dat index 'sweep' using "gap":(some(column("one_minus"), 3)) \
         with points lt 7 dt 1 lw 2 pt 2, \
     dat index (OWN_max > 0 ? 'own' : 'sweep') \
         using (OWN_max > 0 ? column(2) : 1/0):(column(3)) with points lt 7 pt 13
set title 'and its Jacobian'
set xrange [-20:800]
set xtics 200
set yrange [1e-322:1e12]
set ytics (1, 1e-100, 1e-200, 1e-300)
unset arrow 1
set arrow 2 from ZERO_max, graph 0 to ZERO_max, graph 0.95 nohead lt 2 lw 2
unset label
set label 1 "other weights\n0 in a double\nfrom 1075 ln 2" at ZERO_max - 20,1e-20 \
    right textcolor lt 2
set label 3 "1 − weight (dots)" at 20,1e-235 left textcolor lt 1
set label 4 "tr J (diamonds)" at 20,1e-262 left textcolor lt 7
set label 5 "‖J‖_F (triangles)" at 20,1e-289 left textcolor lt 7
plot dat index 'sweep' using "gap":(big(column("rest_predicted"))) \
         with lines lt 1, \
     dat index 'sweep' using "gap":(big(column("trace_predicted"))) \
         with lines lt 4, \
     dat index 'sweep' using "gap":(some(column("rest"), 100)) \
         with points lt 1, \
     dat index 'sweep' using "gap":(some(column("trace"), 90)) \
         with points lt 4, \
     dat index 'sweep' using "gap":(some(column("norm"), 80)) \
         with points lt 5 pt 9
unset multiplot
