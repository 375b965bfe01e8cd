# Where a softmax over n normal scores freezes: E sum a^2 against sigma, exact
# curves, measured points, sigma_c, and the limit for large n.
stats dat index 'map' using "N" nooutput name 'N'
heading = "A softmax of normal scores freezes at σ_c = √(2 ln n)"
description = "The mean sum of squared weights against the standard deviation σ \
of the scores, for 16, 64 and 1024 keys: near 0 while the weights are spread, \
towards 1 once they are frozen. The measured points lie on the exact curves; \
ticks mark σ_c = 2.35, 2.88 and 3.72, where the limit 1 − σ_c/σ for large n \
leaves 0. A scaled head has σ = 1, left of them all."
set title titled(heading, sprintf("lines: exact; points: means of %d, bars ±2 \
standard errors; dotted: 1 − σ_c/σ, large n", N_min))
set xlabel 'standard deviation σ of a score (a fresh head: √d_k, or 1 once divided)'
set ylabel 'E Σ a^2, 1 when frozen'
set logscale x 2
set xrange [0.25:16]
set yrange [0:1]
c(n) = sqrt(2 * log(n))
limit(s, n) = s > c(n) ? 1 - c(n) / s : 1/0
do for [i = 1:3] {
    n = i == 1 ? 16 : (i == 2 ? 64 : 1024)
    set arrow i from c(n), 0 to c(n), 0.06 nohead lt i lw 4 dt 1
}
set label 1 "n = 16" at 3.6,0.62 right textcolor lt 1
set label 2 "64" at 2.75,0.35 right textcolor lt 2
set label 3 "1024" at 4.4,0.26 left textcolor lt 3
set label 4 "ticks: σ_c" at 4.2,0.04 left
set arrow 5 from 1,0.42 to 1,0.3 lt 7 lw 1.5 dt 1
set label 7 "a scaled head:\nσ = 1, never" at 1,0.54 center
plot dat index 'curves' using "sigma":"n16" with lines lt 1 dt 1, \
     dat index 'curves' using "sigma":"n64" with lines lt 2, \
     dat index 'curves' using "sigma":"n1024" with lines lt 3, \
     limit(x, 16) with lines lt 1 lw 1.5 dt (1,4), \
     limit(x, 64) with lines lt 2 lw 1.5 dt (1,4), \
     limit(x, 1024) with lines lt 3 lw 1.5 dt (1,4), \
     dat index 'map' using ($1 == 16 ? column("sigma") : 1/0):"squares":\
         (2 * column("squares_se")) with yerrorbars lt 1 dt 1, \
     dat index 'map' using ($1 == 64 ? column("sigma") : 1/0):"squares":\
         (2 * column("squares_se")) with yerrorbars lt 2 dt 1, \
     dat index 'map' using ($1 == 1024 ? column("sigma") : 1/0):"squares":\
         (2 * column("squares_se")) with yerrorbars lt 3 dt 1
