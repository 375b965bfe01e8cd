# The lecture's first picture: sd of scores against head size, with and without
# division by the root of d_k. Theory: lines. Measured: points, two standard
# errors either way.
stats dat index 'sweep' using "N" nooutput name 'N'
stats dat index 'sweep' using "d_k" nooutput name 'D'
left = 0.8 * D_min
right = 1.3 * D_max
middle = sqrt(left * right)
stats dat index 'sweep' using "sd" nooutput name 'SD'
stats dat index 'sweep' using "scaled" nooutput name 'SC'
top = 1.5 * sqrt(right)
top = 1.3 * SD_max > top ? 1.3 * SD_max : top
bottom = 0.7 * SC_min < 0.55 ? 0.7 * SC_min : 0.55
bottom = 0.7 * SD_min < bottom ? 0.7 * SD_min : bottom
heading = "Scores spread like √d_k; divided by √d_k, they do not"
description = sprintf("The standard deviation of a score against the head size \
d_k, from %d to %d, both axes logarithmic. As they are, scores reach %.3g, \
beside the line √d_k; divided by √d_k they lie between %.3g and %.3g, beside \
the line 1.", D_min, D_max, SD_max, SC_min, SC_max)
set title titled(heading, \
    sprintf("N = %d pairs a point, bars ±2 standard errors", N_min))
set xlabel 'head size d_k'
set ylabel 'standard deviation of the score'
set logscale x 2
set logscale y 2
set xrange [left:right]
set yrange [bottom:top]
set label 1 '⟨q, k⟩, theory √d_k' at middle,1.4 * sqrt(middle) right textcolor lt 1
set label 2 '⟨q, k⟩/√d_k, theory 1' at middle,0.74 left textcolor lt 2
plot sqrt(x) lt 1, 1 lt 2, \
     dat index 'sweep' using "d_k":"sd":(2 * column("sd_se")) \
         with yerrorbars lt 1 dt 1, \
     dat index 'sweep' using "d_k":"scaled":(2 * column("scaled_se")) \
         with yerrorbars lt 2 dt 1
