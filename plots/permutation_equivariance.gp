# How far f(PX) is from P f(X), against the number of tokens, for four layers.
own = STATS_blocks > 1
# Theory: 0 up to rounding below, order 1 above. Points that would hide others
# stand a little to the right.
stats dat index 'defects' using "N" nooutput name 'N'
heading = "Scrambled tokens: what a layer makes of them"
description = "The defect |f(PX) − P f(X)| of four layers against the number of \
tokens, both axes logarithmic. For attention it stays near 1e-16, below the \
line 2nε of rounding; for a convolution under cyclic shifts it is 0; for a \
convolution under other permutations, and for attention with positions, it is \
of order 1."
set title titled(heading, sprintf("%s; %d permutations, half of them \
shifts", own ? "diamonds: your own C, two rows swapped and all shifted" : \
"largest |f(PX) − P f(X)|: mean and worst case", N_min))
set xlabel 'tokens n'
set ylabel 'defect, relative'
set logscale x 2
set logscale y 10
set format y '10^{%T}'
stats dat index 'defects' using "n" nooutput name 'T'
if (own) { stats dat index 'own' using "n" nooutput name 'OWN' }
set xrange [own && OWN_min < 5 ? 0.8 * OWN_min : 4:1.6 * T_max]
set yrange [1e-22:1e3]
set ytics 1e-18,1000
set label 1 'convolution, other permutations' at 5,150 left textcolor lt 2
set label 2 'attention with positions' at 5,0.01 left textcolor lt 3
set label 3 'attention, any permutation' at 5,3e-18 left textcolor lt 1
set label 4 'rounding, 2nε' at T_max,1e-14 * T_max right textcolor lt 7
set label 5 'convolution, cyclic shifts: 0 exactly (drawn at 10^{−21})' at 5,2e-20 left \
    textcolor lt 4
diamonds = !own ? "" : ", dat index 'own' using 'n':\
(column('shift') > 0 ? column('shift') : 1e-21) with points lt 4 pt 12 ps 2, \
dat index 'own' using 'n':'swap' with points lt 2 pt 12 ps 2"
plot dat index 'defects' using "n":"tolerance" with lines lt 7, \
     dat index 'defects' using "n":"permutations":"permutations_min":\
         "permutations" with yerrorbars lt 2 dt 1, \
     dat index 'defects' using "n":"permutations" with lines lt 2 lw 1, \
     dat index 'defects' using (1.06 * column("n")):"positions":\
         "positions_min":"positions" with yerrorbars lt 3 dt 1, \
     dat index 'defects' using (1.06 * column("n")):"positions" \
         with lines lt 3 lw 1, \
     dat index 'defects' using "n":"attention":"attention":"attention_max" \
         with yerrorbars lt 1 dt 1, \
     dat index 'defects' using "n":"attention" with lines lt 1 lw 1, \
     dat index 'defects' using "n":(column("shifts") > 0 ? column("shifts") \
         : 1e-21) with linespoints lt 4 lw 1 @diamonds
