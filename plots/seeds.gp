# Calibration: sorted p-values of every stat claim over many seeds against the
# uniform law. A line a claim; all of them near the diagonal.
stats dat using 1:2 nooutput
claims = STATS_blocks
seeds = STATS_records / claims
width = 1.36 / sqrt(seeds)
heading = sprintf("Over %d seeds, the p-values of %d checks are uniform", \
    seeds, claims)
description = "The sorted p-values of every statistical check against their \
share of the seeds, a line a check, around the diagonal; in grey the band in \
which a line stays with probability 0.95."
set title titled(heading, \
    "a step line a claim; grey: where a line stays with probability 0.95")
set xlabel 'share of seeds'
set ylabel 'p-value'
set size ratio 1
set xrange [0:1]
set yrange [0:1]
set samples 200
plot '+' using 1:(($1 - width) < 0 ? 0 : $1 - width):\
         (($1 + width) > 1 ? 1 : $1 + width) with filledcurves lc rgb '#DDDDDD', \
     x with lines lt 7 lw 1.5, \
     for [i = 0:claims - 1] dat index i using 1:2 with lines lt 1 + (i % 6) \
         lw 1.2 dt 1
