# Which norm? tr J, |J|_F and |J|_2 against the number of keys, both regimes:
# exact curves for the first two, measured points for all three.
stats dat index 'regimes' using "d_k" nooutput name 'D'
stats dat index 'norms' using "N" nooutput name 'N'
stats dat index 'curves' using "trace_unscaled" nooutput name 'T'
stats dat index 'curves' using "frobenius_unscaled" nooutput name 'F'
stats dat index 'curves' using "trace_scaled" nooutput name 'S'
stats dat index 'curves' using \
    (column("frobenius_unscaled") - column("frobenius_scaled")) nooutput name 'G'
heading = T_max < 0.9 * S_max && G_max > 0 ? \
    "Dividing by √d_k keeps the trace large, but not every norm" : \
    "Trace and norms of the softmax Jacobian, with √d_k and without"
description = sprintf("Two panels against the number n of keys, logarithmic, for \
d_k = %d. Left, the mean trace of the softmax Jacobian: divided by √d_k it \
rises to %.2g, close to 1 − 1/n, as they are to %.2g. Right, root mean squares of \
the Frobenius norm, exact curves with points, and of the spectral norm, open \
points. As they are, the Frobenius norm is larger by up to %.2g; divided, by up \
to %.2g.", D_min, S_max, T_max, G_max > 0 ? G_max : 0, G_min < 0 ? -G_min : 0)
set multiplot @panels title titled(heading, sprintf("d_k = %d, %d heads a point, \
means left, roots of mean squares right, bars ±2 standard errors", \
    D_min, N_min))
set logscale x 2
set xlabel 'keys n'
set xtics 2,4
set xrange [1.7:300]
set yrange [0:1.05]
set ytics 0.2
set title 'trace (nuclear norm)'
set label 1 'divided by √d_k' at 12,(T_max < 0.4 ? 0.72 : 0.45) left textcolor lt 2
set label 2 'as they are' at 12,0.22 left textcolor lt 1
set label 3 '1 − 1/n' at 2.1,0.93 left textcolor lt 7
plot 1 - 1 / x with lines lt 7 lw 1.5, \
     dat index 'curves' using "n":"trace_scaled" with lines lt 2, \
     dat index 'curves' using "n":"trace_unscaled" with lines lt 1, \
     dat index 'norms' using ($2 == 1 ? column("n") : 1/0):"trace":\
         (2 * column("trace_se")) with yerrorbars lt 2 dt 1, \
     dat index 'norms' using ($2 == 0 ? column("n") : 1/0):"trace":\
         (2 * column("trace_se")) with yerrorbars lt 1 dt 1
set title 'Frobenius (filled), spectral (open)'
set yrange [0:0.52]
set ytics 0.1
unset label 3
set label 1 'divided by √d_k' at 5,0.45 left textcolor lt 2
set label 2 'as they are' at 2.2,(F_min < 0.1 ? 0.17 : 0.07) left textcolor lt 1
plot dat index 'curves' using "n":"frobenius_scaled" with lines lt 2, \
     dat index 'curves' using "n":"frobenius_unscaled" with lines lt 1, \
     dat index 'norms' using ($2 == 1 ? column("n") : 1/0):"frobenius":\
         (2 * column("frobenius_se")) with yerrorbars lt 2 dt 1, \
     dat index 'norms' using ($2 == 0 ? column("n") : 1/0):"frobenius":\
         (2 * column("frobenius_se")) with yerrorbars lt 1 dt 1, \
     dat index 'norms' using ($2 == 1 ? column("n") : 1/0):"spectral":\
         (2 * column("spectral_se")) with yerrorbars lt 2 dt 1 pt 4, \
     dat index 'norms' using ($2 == 0 ? column("n") : 1/0):"spectral":\
         (2 * column("spectral_se")) with yerrorbars lt 1 dt 1 pt 6
unset multiplot
