# What attention costs: multiply-adds and bytes against the number of tokens.
# Theory: lines. Counted in the loops: points.
stats dat index 'sweep' using "d" nooutput name 'D'
stats dat index 'sweep' using "n" nooutput name 'T'
stats dat index 'long' using "n" nooutput name 'L'
d = D_min
left = 0.6 * T_min
right = 1.8 * (L_max > T_max ? L_max : T_max)
at(share) = left * (right / left)**share
attention(n) = 2.0 * n**2 * d
projections(n) = 3.0 * n * d**2
weights(n) = 8.0 * n**2
inout(n) = 32.0 * n * d
streamed(n) = 256.0 * (128 + 4 * (2 * d + 2)) + 512 + n
least(x, y) = x < y ? x : y
most(x, y) = x > y ? x : y

heading = "Twice the tokens, four times the work; the memory need not follow"
description = sprintf("Two panels over the number n of tokens, both axes \
logarithmic, for one head of size %d. Left, multiply-adds: 2 n² d for scores \
and weighted sum, 3 n d² for the projections. Right, bytes: 8 n² for the \
weights, 32 n d for Q, K, V and O; streamed, at most a tile and n. The \
points, counted in the running code, lie on the lines or, streamed, below.", d)
set multiplot @panels title titled(heading, \
    sprintf("one head, d = %d; lines: theory, points: counted in the running \
code", d))
set logscale x 2
set logscale y 10
set format y '10^{%T}'
set xlabel 'tokens n'
set xrange [left:right]
jump = 64 * left < right ? 8 : 2
set xtics jump
jump = 64 * left < right ? 100 : 10
set ytics jump

set title 'multiply-adds'
set yrange [least(attention(left), projections(left)) / 10: \
            3 * most(attention(right), projections(right))]
turn = 1.5 * d
if (turn > left && turn < at(0.5)) {
    set arrow 1 from turn,graph 0 to turn,graph 0.16 nohead lt 7 lw 1.5
    set label 1 'n = 1.5 d' at turn,graph 0.09 left offset 0.7 textcolor lt 7
}
set label 2 "2 n^2 d, scores\nand sum" \
    at at(0.74),most(attention(at(0.74)), projections(at(0.74))) right \
    offset 0,2.2 textcolor lt 1
set label 3 '3 n d^2, projections' \
    at at(0.38),least(attention(at(0.38)), projections(at(0.38))) left \
    offset 0,-1 textcolor lt 2
plot attention(x) with lines lt 1, projections(x) with lines lt 2, \
     dat index 'sweep' using "n":"attention" with points lt 1, \
     dat index 'sweep' using "n":"projections" with points lt 2
unset arrow
unset label

set title 'bytes'
set yrange [least(weights(left), streamed(left)) / 30: \
            20 * most(weights(right), streamed(right))]
set label 1 "8 n^2,\nweights" at at(0.66),weights(at(0.66)) right \
    offset 0,2.2 textcolor lt 1
# between its line and the next one, where there is room
between = weights(at(0.45)) > inout(at(0.45)) && \
    inout(at(0.65)) > 9 * streamed(at(0.65))
if (between) {
    set label 2 '32 n d: QKVO' at at(0.98), \
        inout(at(0.65))**0.5 * streamed(at(0.65))**0.5 right textcolor lt 7
} else {
    set label 2 '32 n d: QKVO' at graph 0.98,0.09 right textcolor lt 7
}
lines = streamed(left) < weights(right) ? -1.2 : 2
set label 3 "streamed: at most\na tile + n" at at(0.98),streamed(right) \
    right offset 0,lines textcolor lt 3
plot weights(x) with lines lt 1, inout(x) with lines lt 7 lw 1.5, \
     dat index 'sweep' using "n":(column("layer_bytes") - 24 * \
         column("n") * column("d")) with points lt 1, \
     streamed(x) with lines lt 3, \
     dat index 'sweep' using "n":"stream_bytes" with points lt 3, \
     dat index 'long' using "n":"stream_bytes" with points lt 3
unset multiplot
