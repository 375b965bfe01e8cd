# The lecture's first picture: sd of scores against head size, with and without
# division by the root of d_k. Theory: lines. Measured: points, two standard
# errors either way.
stats dat index 'sweep' using "N" nooutput name 'N'
set title sprintf("Scores spread like √d_k; divided by √d_k, they do not\n\
{/*0.8 N = %d pairs a point, bars ±2 standard errors}", N_min)
set xlabel 'head size d_k'
set ylabel 'standard deviation of the score'
set logscale x 2
set logscale y 2
set xrange [0.8:1300]
set yrange [0.6:48]
set label 1 '√d_k' at 300,24 right textcolor lt 1
set label 2 '⟨q, k⟩' at 40,4.2 left textcolor lt 1
set label 3 '1' at 1150,1.13 right textcolor lt 2
set label 4 '⟨q, k⟩ / √d_k' at 40,0.82 left textcolor lt 2
plot sqrt(x) lt 1, 1 lt 2, \
     dat index 'sweep' using "d_k":"sd":(2 * column("sd_se")) \
         with yerrorbars lt 1 dt 1, \
     dat index 'sweep' using "d_k":"scaled":(2 * column("scaled_se")) \
         with yerrorbars lt 2 dt 1
