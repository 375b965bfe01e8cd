# One score vector times beta: from the uniform distribution to a decision.
stats dat index 'temperature' using "entropy" nooutput name 'H'
set title "One score vector times β: from a distribution to a decision\n\
{/*0.8 16 normal scores; the softmax of β times them}"
set xlabel 'β'
set ylabel 'share of its largest value'
set logscale x 10
set format x '10^{%T}'
set xrange [0.01:1000]
set yrange [0:1.05]
set label 1 'entropy/ln n' at 2.2,0.75 right textcolor lt 1
set label 2 'largest weight' at 14,0.92 left textcolor lt 2
set label 3 'tr J/(1 − 1/n)' at 5.5,0.4 left textcolor lt 3
plot dat index 'temperature' using "beta":(column("entropy") / log(16)) \
         with lines lt 1, \
     dat index 'temperature' using "beta":"largest" with lines lt 2, \
     dat index 'temperature' using "beta":(column("trace") / (1 - 1.0 / 16)) \
         with lines lt 3
