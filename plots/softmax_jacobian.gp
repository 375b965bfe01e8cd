# The class demo: the share of fresh heads whose Jacobian's norm is below x,
# with and without division by the root of d_k.
stats dat index 'regimes' using "median" every ::0::0 nooutput name 'U'
stats dat index 'regimes' using "median" every ::1::1 nooutput name 'S'
stats dat index 'regimes' using "d_k" nooutput name 'D'
stats dat index 'regimes' using "n" nooutput name 'K'
stats dat index 'regimes' using "N" nooutput name 'N'
stats dat index 'regimes' using (sqrt(column("frobenius2_predicted"))) \
    every ::0::0 nooutput name 'RU'
stats dat index 'regimes' using (sqrt(column("frobenius2_predicted"))) \
    every ::1::1 nooutput name 'RS'
heading = U_max < 0.1 * S_max ? \
    "Without √d_k, half of all fresh heads pass almost no gradient" : \
    "The softmax Jacobian of fresh heads, with √d_k and without"
description = sprintf("The share of %d fresh heads whose softmax Jacobian has a \
Frobenius norm below x, x logarithmic, with %d keys and d_k = %d. With the \
scores as they are the median norm is %.2g; divided by √d_k it is %.2g.", \
    N_min, K_min, D_min, U_max, S_max)
set title titled(heading, sprintf("d_k = %d, n = %d keys, %d heads in each \
regime", D_min, K_min, N_min))
set xlabel '‖J‖_F, Frobenius norm of the softmax Jacobian'
set ylabel 'share of heads below'
set logscale x 10
set format x '10^{%T}'
set xrange [1e-14:1]
set yrange [0:1.02]
set xtics 1e-14,100
set arrow 1 from RU_max, graph 0 to RU_max, graph 1 nohead lt 1 lw 1.5
set arrow 2 from RS_max, graph 0 to RS_max, graph 1 nohead lt 2 lw 1.5
set label 1 sprintf("scores as they are\nmedian %.2g", U_max) at 0.0005 * U_max,0.5 right \
    textcolor lt 1
set label 2 sprintf("divided by √d_k\nmedian %.2g", S_max) \
    at 0.3 * S_max,0.2 right textcolor lt 2
set label 3 sprintf("thin lines: predicted\nroot mean squares\n\
%.2g and %.2g", RU_max, RS_max) at 3e-14,0.95 left
plot dat index 'unscaled' using "frobenius":"share" with lines lt 1, \
     dat index 'regimes' using "median":(0.5) every ::0::0 with points lt 1 \
         ps 1.3 * points, \
     dat index 'scaled' using "frobenius":"share" with lines lt 2, \
     dat index 'regimes' using "median":(0.5) every ::1::1 with points lt 2 \
         ps 1.3 * points
