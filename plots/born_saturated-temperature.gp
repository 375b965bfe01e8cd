# One score vector times beta: from the uniform distribution to a decision.
stats dat index 'temperature' using "entropy" nooutput name 'H'
heading = "One score vector times β: from a distribution to a decision"
description = "Three curves against β on a logarithmic axis, for the softmax of \
β times 16 normal scores: entropy and trace of the Jacobian, as shares of \
their largest values, fall from 1 to 0 as β passes 1 to 10, while the largest \
weight rises from 1/16 to 1."
set title titled(heading, "16 normal scores; the softmax of β times them")
set xlabel 'β'
set ylabel 'share of its largest value'
set logscale x 10
set format x '10^{%T}'
set xrange [0.01:1000]
set yrange [0:1.05]
set label 1 'entropy/ln n' at 1.7,0.72 right textcolor lt 1
set label 2 'largest weight' at 16,0.92 left textcolor lt 2
set label 3 'tr J/(1 − 1/n)' at 5.5,0.4 left textcolor lt 3
plot dat index 'temperature' using "beta":(column("entropy") / log(16)) \
         with lines lt 1, \
     dat index 'temperature' using "beta":"largest" with lines lt 2, \
     dat index 'temperature' using "beta":(column("trace") / (1 - 1.0 / 16)) \
         with lines lt 3
