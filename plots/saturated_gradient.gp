# What a wrong winner leaves of the gradient: a fixed downstream gradient dies
# with 1 - a_max, that of -ln a_target does not.
heading = "A saturated softmax kills a fixed gradient, not a loss that screams"
description = "The largest gradient of the scores against the gap b by which a \
wrong one of 16 keys wins, logarithmic upwards. For a fixed gradient g from \
above, the points fall like e^−b, to about 1e-16 at b = 40, below the line of \
the bound (1 − a*)(max g − min g). For the loss −ln a_target they stay near √2."
set title titled(heading, \
    "16 keys, a wrong one wins by the gap b; g is the gradient from above")
set xlabel 'gap b between the wrong winner and the rest'
set ylabel 'gradient of the scores'
set logscale y 10
set format y '10^{%T}'
set yrange [1e-18:1000]
set xrange [0:40]
set ytics 1e-18,1000
set label 1 'fixed g: bound (1 − a*)(max g − min g)' at 14.5,3e-4 left \
    textcolor lt 1
set label 2 'largest |∂L/∂s|' at 16,2e-9 right textcolor lt 1
set label 3 'L = −ln a_{target}: |a − y| → √2' at 20,25 left textcolor lt 2
plot dat index 'decay' using "gap":"bound" with lines lt 1, \
     dat index 'decay' using "gap":"fixed" every 2 with points lt 1, \
     sqrt(2) with lines lt 2, \
     dat index 'decay' using "gap":"escape" every 2 with points lt 2
