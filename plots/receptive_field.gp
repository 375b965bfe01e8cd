# How far a stack of convolutions sees, nominally and effectively, against its
# depth; and one layer of attention.
stats dat index 'depth' using "L" nooutput name 'L'
stats dat index 'profile' using "distance" nooutput name 'P'
stats dat index 'profile' using "influence" nooutput name 'I'
set multiplot layout 1,2 margins 0.11,0.97,0.15,0.76 spacing 0.13 title \
"A stack of convolutions sees like L, and listens like √L\n\
{/*0.8 lines: predicted; points: measured, bars ±2 standard errors}"
set logscale x 2
set logscale y 2
set xlabel 'layers L'
set ylabel 'inputs' offset 1
set xrange [0.8:1.3 * L_max]
set yrange [0.5:4 * P_max]
set title 'against depth'
set label 1 "nominal\n1 + L(k − 1)" at 1.2,0.7 * P_max left textcolor lt 1
set label 2 "effective sd\n√(L(k^2 − 1)/12)" at 0.45 * L_max,1.3 right \
    textcolor lt 2
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
set yrange [0:1.2 * I_max]
set label 1 'Gaussian' at 0.25 * P_max,0.8 * I_max left textcolor lt 2
plot dat index 'profile' using "distance":"influence" with impulses lt 1 dt 1 \
         lw 2, \
     dat index 'profile' using "distance":"gaussian" with lines lt 2
unset multiplot
