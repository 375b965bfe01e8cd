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
set title sprintf("Scores spread like √d_k; divided by √d_k, they do not\n\
{/*0.8 N = %d pairs a point, bars ±2 standard errors}", N_min)
set xlabel 'head size d_k'
set ylabel 'standard deviation of the score'
set logscale x 2
set logscale y 2
set xrange [left:right]
set yrange [bottom:top]
set label 1 '√d_k' at 0.3 * right,1.4 * sqrt(0.3 * right) right textcolor lt 1
set label 2 '⟨q, k⟩' at 1.3 * middle,0.75 * sqrt(middle) left textcolor lt 1
set label 3 '1' at 0.95 * right,1.15 right textcolor lt 2
set label 4 '⟨q, k⟩ / √d_k' at 1.3 * middle,0.77 left textcolor lt 2
plot sqrt(x) lt 1, 1 lt 2, \
     dat index 'sweep' using "d_k":"sd":(2 * column("sd_se")) \
         with yerrorbars lt 1 dt 1, \
     dat index 'sweep' using "d_k":"scaled":(2 * column("scaled_se")) \
         with yerrorbars lt 2 dt 1
