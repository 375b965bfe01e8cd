# How the cost of our programs grows. Measured: points. Lines: the power law
# through the last point; memory: what a whole matrix of scores would take.
stats dat index 'spread' using (column("d_k") * column("N")):"seconds" \
    nooutput name 'S'
stats dat index 'attention' using "n":"double" nooutput name 'A'
stats dat index 'attention' using "n":"float" nooutput name 'F'
stats dat index 'attention' using "n":"double_mib" nooutput name 'M'
stats dat index 'threads' using "threads":"spread" nooutput name 'T'
stats dat index 'threads' using "threads":"attention" nooutput name 'U'
set multiplot layout 2,2 title "Cost grows with the numbers drawn, with n² for \
attention; its memory with n" font ',20'
set tics font ',15'
set xlabel font ',16' offset 0,0.4
set title font ',17' offset 0,-0.6
set logscale xy
set mytics 1
set format '10^{%T}'
set xtics 100
set ytics 100

set title 'spread of scores, s'
set xlabel 'pairs times head size, N d_k'
set label 1 '∝ N d_k' at graph 0.55,0.35 textcolor lt 7 font ',16'
set key top left font ',15' samplen 1
plot S_max_y / S_max_x * x with lines lt 7 lw 1.5, \
     dat index 'spread' using ($0 < 0 ? 0 : column("d_k") * column("N")):\
         (column("d_k") == 64 ? column("seconds") : NaN) with points lt 1 \
         title 'N, at d_k = 64', \
     '' index 'spread' using (column("d_k") * column("N")):\
         (column("d_k") != 64 ? column("seconds") : NaN) with points lt 2 \
         title 'd_k, at one N'
unset label

set logscale x 2
set format x '%.0f'
set xtics 4 rotate by 0
set xlabel 'tokens n'
set title 'attention, s'
set xrange [0.8 * A_min_x:1.3 * A_max_x]
set label 1 '∝ n^2' at graph 0.5,0.3 textcolor lt 7 font ',16'
plot A_max_y * (x / A_max_x)**2 with lines lt 7 lw 1.5, \
     F_max_y * (x / F_max_x)**2 with lines lt 7 lw 1.5, \
     dat index 'attention' using "n":"double" with points lt 1 title 'double', \
     '' index 'attention' using "n":"float" with points lt 2 title 'float'
unset label

set title 'memory of attention, MiB'
set label 1 '8n^2, a whole matrix' at graph 0.3,0.9 textcolor lt 7 font ',16'
set yrange [1:*]
unset key
plot 8.0 * x**2 / 2**20 with lines lt 7 lw 1.5, \
     dat index 'attention' using "n":"double_mib" with points lt 1, \
     '' index 'attention' using "n":"float_mib" with points lt 2
unset label
unset logscale
set format '%g'
set xrange [0:1.1 * T_max_x]
set yrange [0:1.1 * T_max_x]
set xtics 1 > 0 ? ceil(T_max_x / 8.0) : 1
set ytics ceil(T_max_x / 8.0)
set xlabel 'threads'
set title 'times faster than one thread'
set key top left font ',15' samplen 1
plot x with lines lt 7 lw 1.5, \
     dat index 'threads' using "threads":(T_max_y / column("spread")) \
         with points lt 1 title 'spread', \
     '' index 'threads' using "threads":(U_max_y / column("attention")) \
         with points lt 2 title 'attention'
unset multiplot
