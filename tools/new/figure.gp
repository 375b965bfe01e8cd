# The spread of a mean against the number of entries: the law as a line, what
# was measured as points.
heading = "The mean of n entries spreads like 1/√n"
description = "The standard error of the mean of n normal entries against n, \
both axes logarithmic: the line 1/√n, and points with bars of one standard \
error."
set title titled(heading, "line: theory; points: measured")
set xlabel 'entries n'
set ylabel 'standard error of the mean'
set logscale xy
set xrange [0.7:400]
set label 1 '1/√n' at 20,0.32 left textcolor lt 1
plot 1 / sqrt(x) with lines lt 1, \
     dat index 'means' using "n":"measured":"se" with yerrorbars lt 2 dt 1
