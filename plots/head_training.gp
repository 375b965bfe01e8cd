# Training with and without the division by the root of d_k: accuracy and loss
# against the step, mean of all heads and the band that holds eight of ten.
stats dat index 'regimes' using "N" nooutput name 'N'
stats dat index 'regimes' using "d_k" nooutput name 'D'
stats dat index 'regimes' using "n" nooutput name 'K'
stats dat index 'regimes' using "steps" nooutput name 'T'
stats dat index 'regimes' using "accuracy" every ::0::0 nooutput name 'U'
stats dat index 'regimes' using "accuracy" every ::1::1 nooutput name 'S'
stats dat index 'regimes' using "rate" every ::0::0 nooutput name 'RU'
stats dat index 'regimes' using "rate" every ::1::1 nooutput name 'RS'
stats dat index 'unscaled-longer' using "step" nooutput name 'L'
stats dat index 'unscaled-longer' using "accuracy" nooutput name 'A'
stats dat index 'unscaled-longer' using "N" nooutput name 'M'
heading = S_min - U_min > 0.1 ? \
    "Without √d_k a head is not frozen, but far behind" : \
    "Training with √d_k and without"
description = sprintf("Two panels over the steps of gradient descent, \
logarithmic: the mean share of partners found and the mean loss of %d heads \
with division by √d_k and as many without, with bands that hold eight heads of \
ten. After %d steps the divided ones find %.2f of the partners, the others \
%.2f; %d of the latter are followed to step %d.", \
    N_min, T_min, S_min, U_min, M_min, L_max)
set multiplot @panels title titled(heading, sprintf("d_k = %d, n = %d, %d heads \
each (thin line: %d), bands hold eight of ten, best rates %g and %g", \
    D_min, K_min, N_min, M_min, RS_min, RU_min))
set logscale x 10
set format x '10^{%T}'
set xlabel 'steps of gradient descent'
set xrange [1:1.3 * L_max]
at(share) = (1.3 * L_max)**share
set style fill transparent solid 0.2 noborder
set arrow 1 from T_min, graph 0 to T_min, graph 1 nohead lt 7 lw 1 dt 1

set title 'partners found'
set yrange [0:1.1]
set ytics 0.2
set label 1 "divided\nby √d_k" at at(0.05),0.62 left textcolor lt 2
set label 2 'as they are' at at(0.68),0.16 right textcolor lt 1
set label 3 '1/n' at graph 0.97,first 1.0 / K_min + 0.04 right textcolor lt 7
set label 4 sprintf("%.2f", S_min) at 0.85 * T_min,1.05 right textcolor lt 2
set label 5 sprintf("%.2f", U_min) at 0.85 * T_min,U_min + 0.06 right \
    textcolor lt 1
plot 1.0 / K_min with lines lt 7 lw 1.5, \
     dat index 'scaled' using "step":"accuracy_tenth":"accuracy_ninetieth" \
         with filledcurves lt 2, \
     dat index 'unscaled' using "step":"accuracy_tenth":"accuracy_ninetieth" \
         with filledcurves lt 1, \
     dat index 'unscaled-longer' \
         using "step":"accuracy_tenth":"accuracy_ninetieth" \
         with filledcurves lt 1, \
     dat index 'scaled' using "step":"accuracy" with lines lt 2, \
     dat index 'unscaled' using "step":"accuracy" with lines lt 1, \
     dat index 'unscaled-longer' using "step":"accuracy" with lines lt 1 \
         lw 1.5

set title 'loss'
set yrange [0:2.2]
set ytics 0.5
set label 1 "divided\nby √d_k" at at(0.05),0.4 left textcolor lt 2
set label 2 'as they are' at at(0.31),1.76 left textcolor lt 1
set label 3 '1 − 1/n' at graph 0.97,first 1.07 - 1.0 / K_min right textcolor lt 7
set label 4 'sure and wrong' at at(0.03),2.09 left textcolor lt 7
set label 5 "dotted:\nW_V too" at at(0.03),1.32 left textcolor lt 1
plot 1 - 1.0 / K_min with lines lt 7 lw 1.5, \
     2 with lines lt 7 lw 1.5, \
     dat index 'scaled' using "step":"loss_tenth":"loss_ninetieth" \
         with filledcurves lt 2, \
     dat index 'unscaled' using "step":"loss_tenth":"loss_ninetieth" \
         with filledcurves lt 1, \
     dat index 'unscaled-longer' using "step":"loss_tenth":"loss_ninetieth" \
         with filledcurves lt 1, \
     dat index 'scaled' using "step":"loss" with lines lt 2, \
     dat index 'unscaled' using "step":"loss" with lines lt 1, \
     dat index 'unscaled-longer' using "step":"loss" with lines lt 1 \
         lw 1.5, \
     dat index 'scaled-values' using "step":"loss" with lines lt 2 dt (2,4), \
     dat index 'unscaled-values' using "step":"loss" with lines lt 1 dt (2,4)
unset multiplot
