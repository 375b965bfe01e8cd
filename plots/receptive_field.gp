# How far a stack of convolutions sees, nominally and effectively, against its
# depth; and one layer of attention.
stats dat index 'depth' using "L" nooutput name 'L'
stats dat index 'depth' using "effective_predicted" nooutput name 'E'
stats dat index 'profile' using "distance" nooutput name 'P'
stats dat index 'profile' using "influence" nooutput name 'I'
heading = "A stack of convolutions sees like L, and listens like √L"
description = sprintf("Left, against the number L of layers, both axes \
logarithmic: the inputs that one output sees, 1 + L(k − 1), and the standard \
deviation of their influence, √(L(k² − 1)/12); the measured points lie on both \
lines. Right, the influence of each input of %d layers against its distance: a \
narrow Gaussian in the middle of all that it sees.", L_max)
set multiplot @panels title titled(heading, \
    "lines: predicted; points: measured, bars ±2 standard errors")
set logscale x 2
set logscale y 2
set xlabel 'layers L'
set ylabel 'inputs' offset 1
set xrange [0.8:1.3 * L_max]
set yrange [E_min / 4:4 * P_max]
set title 'against depth'
set label 1 "nominal\n1 + L(k − 1)" at graph 0.06,0.9 left textcolor lt 1
set label 2 "effective sd\n√(L(k^2 − 1)/12)" \
    at 1.2 * L_max,E_max * sqrt(0.13) right offset 0,-0.8 textcolor lt 2
plot dat index 'depth' using "L":"nominal_predicted" with lines lt 1, \
     dat index 'depth' using "L":"effective_predicted" with lines lt 2, \
     dat index 'depth' using "L":"nominal" with points lt 1, \
     dat index 'depth' using "L":"effective":(2 * column("effective_se")) \
         with yerrorbars lt 2 dt 1
unset logscale
unset label
set title 'influence in the deepest stack'
set xlabel 'distance from the output'
set ylabel 'influence' offset 1.5
set xrange [-P_max:P_max]
step = 10**floor(log10(P_max))
step = (P_max < 2 * step ? 1 : P_max < 5 * step ? 2 : 5) * step
set xtics step
set yrange [0:1.2 * I_max]
set label 1 "Gaussian\nof variance\nL(k^2 − 1)/12" at 0.97 * P_max,1.05 * I_max \
    right textcolor lt 2
plot dat index 'profile' using "distance":"influence" with impulses lt 1 dt 1 \
         lw 2, \
     dat index 'profile' using "distance":"gaussian" with lines lt 2
unset multiplot
