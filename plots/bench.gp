# How the cost of our programs grows. Measured: points. Lines: the power law
# through the dearest point; a whole matrix of scores; as many times as threads.
stats dat index 'spread' using (column("d_k") * column("N")) nooutput name 'D'
stats dat index 'spread' using "seconds" nooutput name 'S'
stats dat index 'attention' using "n" nooutput name 'N'
stats dat index 'attention' using "double" nooutput name 'A'
stats dat index 'attention' using "float" nooutput name 'F'
stats dat index 'attention' using "double_mib" nooutput name 'M'
stats dat index 'threads' using "threads" nooutput name 'T'
one(name) = column("threads") == 1 ? column(name) : NaN
stats dat index 'threads' using (one("spread")) nooutput name 'P'
stats dat index 'threads' using (one("attention")) nooutput name 'Q'
decades(x) = 10**ceil(log10(x))
# Squares that a disk in the same place shows through.
open = "with points lt 2 pt 4 lw 2.5 ps 1.3 * points"
heading = "Scores cost N d_k, attention n² of time and n of memory"
description = "Four panels. Time of score_spread against pairs times head \
size, a line of slope 1; time of one attention head against the number n of \
tokens, double and float, lines of slope 2; its peak memory, nearly flat under \
the 8 n² bytes of a whole matrix; and how many times faster more threads are."
set multiplot layout 2,2 margins 0.09,0.97,0.12,0.81 spacing 0.11,0.23 \
    title titled(heading, "points: measured; lines: N d_k, n², 8 n² bytes, \
t-fold with t threads")
set tics font ',15'
set xlabel font ',16' offset 0,0.6
set title font ',17' offset 0,-0.5
set key bottom right font ',15' samplen 0.5 spacing 1.1
set mytics 1
set mxtics 1

set logscale xy
set format '10^{%T}'
set xtics 1,100
set ytics 1e-6,100
set xlabel 'pairs times head size, N d_k'
set title 'spread of scores, s'
set key top left reverse Left
set xrange [0.5 * D_min:2 * D_max]
set yrange [0.5 * S_min:2 * S_max]
law = S_max / D_max
plot law * x with lines lt 7 lw 1.5, \
     dat index 'spread' using (column("d_k") * column("N")):\
         (column("d_k") == 64 ? column("seconds") : NaN) with points lt 1 \
         title 'more pairs', \
     '' index 'spread' using (column("d_k") * column("N")):\
         (column("d_k") != 64 ? column("seconds") : NaN) @open \
         title 'larger heads'

set logscale x 2
set format x '%.0f'
set xtics 1,4
set xlabel 'tokens n'
set title 'attention, s'
set key bottom right noreverse Right
set xrange [0.7 * N_min:1.4 * N_max]
set yrange [0.5 * F_min:2 * A_max]
plot A_max * (x / N_max)**2 with lines lt 7 lw 1.5, \
     F_max * (x / N_max)**2 with lines lt 7 lw 1.5, \
     dat index 'attention' using "n":"double" with points lt 1 \
         title 'double', \
     '' index 'attention' using "n":"float" @open title 'float'

set title 'peak memory of attention, MiB'
set ytics 1,10
set yrange [1:decades(8 * N_max**2 / 2**20)]
set key top left reverse Left
set label 1 '8n^2' at N_max / 2.2,8 * N_max**2 / 2**20 / 4 right offset -1,0 \
    textcolor lt 7 font ',16'
plot 8 * x**2 / 2**20 with lines lt 7 lw 1.5, \
     dat index 'attention' using "n":"double_mib" with points lt 1 \
         title 'double', \
     '' index 'attention' using "n":"float_mib" @open title 'float'
unset label 1

unset logscale
set format '%g'
step = ceil(T_max / 8.0)
set xtics 0,step
set ytics 0,step
set xrange [0:1.15 * T_max]
set yrange [0:1.3 * T_max]
set xlabel 'threads'
set title 'times faster than one thread'
plot x with lines lt 7 lw 1.5, \
     dat index 'threads' using "threads":(P_max / column("spread")) \
         with points lt 1 title 'spread', \
     '' index 'threads' using "threads":(Q_max / column("attention")) \
         @open title 'attention'
unset multiplot
