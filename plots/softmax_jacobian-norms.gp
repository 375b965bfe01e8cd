# Which norm? tr J, |J|_F and |J|_2 against the number of keys, both regimes:
# exact curves for the first two, measured points for all three.
stats dat index 'regimes' using "d_k" nooutput name 'D'
stats dat index 'norms' using "N" nooutput name 'N'
set multiplot layout 1,2 title sprintf("Dividing by √d_k keeps the trace large, \
but not every norm\n\
{/*0.8 d_k = %d, %d heads a point, means left, roots of mean squares right, bars ±2 standard \
errors}", D_min, N_min)
set logscale x 2
set xlabel 'keys n'
set xtics 2,4
set xrange [1.7:300]
set yrange [0:1.05]
set ytics 0.2
set title 'trace (nuclear norm)'
set label 1 'divided by √d_k' at 12,0.72 left textcolor lt 2
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
set label 2 'as they are' at 2.2,0.07 left textcolor lt 1
plot dat index 'curves' using "n":"frobenius_scaled" with lines lt 2, \
     dat index 'curves' using "n":"frobenius_unscaled" with lines lt 1, \
     dat index 'norms' using ($2 == 1 ? column("n") : 1/0):"frobenius":\
         (2 * column("frobenius_se")) with yerrorbars lt 2 dt 1, \
     dat index 'norms' using ($2 == 0 ? column("n") : 1/0):"frobenius":\
         (2 * column("frobenius_se")) with yerrorbars lt 1 dt 1, \
     dat index 'norms' using ($2 == 1 ? column("n") : 1/0):"spectral" \
         with points lt 2 pt 4, \
     dat index 'norms' using ($2 == 0 ? column("n") : 1/0):"spectral" \
         with points lt 1 pt 6
unset multiplot
