# The gradient that rows are born with: the share of rows whose norm is below
# x, of dL/ds and of dL/dW_Q, with and without division by the root of d_k.
stats dat index 'regimes' using "N" nooutput name 'N'
stats dat index 'regimes' using "d_k" nooutput name 'D'
stats dat index 'regimes' using "n" nooutput name 'K'
stats dat index 'regimes' using "ds_mean" every ::0::0 nooutput name 'DU'
stats dat index 'regimes' using "ds_mean" every ::1::1 nooutput name 'DS'
stats dat index 'regimes' using "ds_median" every ::0::0 nooutput name 'MU'
stats dat index 'regimes' using "ds_median" every ::1::1 nooutput name 'MS'
stats dat index 'regimes' using "dW_Q_mean" every ::0::0 nooutput name 'QU'
stats dat index 'regimes' using "dW_Q_mean" every ::1::1 nooutput name 'QS'
stats dat index 'regimes' using "dW_Q_top" every ::0::0 nooutput name 'TU'
heading = abs(TU_min - 0.5) < 0.05 ? \
    "Without √d_k a tenth of the rows has half the gradient" : \
    "The gradient that rows are born with, with √d_k and without"
description = sprintf("Two panels: the share of rows whose gradient has a norm \
below x, x logarithmic, at birth. Left, of the scores: as they are, the median \
is %.3g and the mean %.3g; divided by √d_k, %.3g and %.3g. Right, of W_Q: as \
they are, the mean is %.3g, and the largest tenth of the rows has %.0f %% of it; \
divided, the mean is %.3g.", MU_min, DU_min, MS_min, DS_min, QU_min, \
    100 * TU_min, QS_min)
set multiplot @panels title titled(heading, sprintf("at birth; d_k = %d, \
n = %d, 512 rows of each of %d heads; thin lines: means", D_min, K_min, N_min))
set logscale x 10
set format x '10^{%T}'
set xrange [1e-12:1e4]
set xtics 1e-12,1e4
set yrange [0:1.02]
set ytics 0.2

set xlabel 'norm'
set title '‖∂L/∂s‖ of a row'
set ylabel 'share of rows below'
set label 1 sprintf("as they are\nmedian %.3f\nmean %.3f", MU_min, DU_min) \
    at 1e-4,0.62 right textcolor lt 1
set label 2 sprintf("divided by √d_k\nmedian %.3f\nmean %.3f", MS_min, DS_min) \
    at 0.01,0.95 right textcolor lt 2
set arrow 1 from DU_min, graph 0 to DU_min, graph 1 nohead lt 1 lw 1.5
set arrow 2 from DS_min, graph 0 to DS_min, graph 1 nohead lt 2 lw 1.5
plot dat index 'born-unscaled' using "ds":"share" with lines lt 1, \
     dat index 'born-scaled' using "ds":"share" with lines lt 2

set title '‖∂L/∂W_Q‖ of a row'
unset ylabel
set label 1 sprintf("as they are\nmean %.0f\nlargest tenth\nhas %.0f %% of it", \
    QU_min, 100 * TU_min) at 1e-3,0.7 right textcolor lt 1
set label 2 sprintf("divided by √d_k\nmean %.1f", QS_min) at 0.2,0.95 right \
    textcolor lt 2
set arrow 1 from QU_min, graph 0 to QU_min, graph 1 nohead lt 1 lw 1.5
set arrow 2 from QS_min, graph 0 to QS_min, graph 1 nohead lt 2 lw 1.5
plot dat index 'born-unscaled' using "dW_Q":"share" with lines lt 1, \
     dat index 'born-scaled' using "dW_Q":"share" with lines lt 2
unset multiplot
