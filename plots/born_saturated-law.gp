# Unscaled, E tr J vanishes like E[M_n]/sqrt(d_k): multiplied by sqrt(d_k), it
# tends to E[M_n].
stats dat index 'law' using "limit" nooutput name 'M'
stats dat index 'law' using "d_k" nooutput name 'D'
stats dat index 'law' using "N" nooutput name 'N'
stats dat index 'law' using \
    (column("scaled_up_predicted") / sqrt(column("d_k"))) nooutput name 'P'
heading = "Without √d_k, a fresh head's gradient vanishes like 1/√d_k"
description = sprintf("The mean trace of the softmax Jacobian of a fresh \
unscaled head against its head size d_k, from %d to %d, both axes logarithmic. \
The measured points lie on the exact curve, which runs into the straight line \
E[M_n]/√d_k = %.3f/√d_k as heads get wide.", D_min, D_max, M_max)
set title titled(heading, sprintf("lines: predicted, points: mean of %d heads, \
bars ±2 standard errors", N_min))
set xlabel 'head size d_k'
set ylabel 'E tr J'
set logscale x 2
set logscale y 2
set format y '%g'
set xrange [0.8 * D_min:1.3 * D_max]
set yrange [0.5 * M_max / sqrt(D_max):1.1 * M_max / sqrt(0.8 * D_min)]
set label 1 sprintf('E[M_n]/√d_k = %.3f/√d_k', M_max) \
    at 24,1.35 * M_max / sqrt(24) left textcolor lt 2
set label 2 'exact at finite d_k' at 0.9,P_max / 2.3 left \
    textcolor lt 1
plot M_max / sqrt(x) with lines lt 2, \
     dat index 'law' using "d_k":\
         (column("scaled_up_predicted") / sqrt(column("d_k"))) with lines lt 1, \
     dat index 'law' using "d_k":(column("scaled_up") / sqrt(column("d_k"))):\
         (2 * column("scaled_up_se") / sqrt(column("d_k"))) \
         with yerrorbars lt 1 dt 1
