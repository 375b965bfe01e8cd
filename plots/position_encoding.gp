# Score matrices as heat maps: rotary positions with one content, sinusoidal
# positions by themselves, rotary positions with fresh content.
stats dat index 'maps' using "i" nooutput name 'T'
stats dat index 'maps' using "rotary" nooutput name 'A'
stats dat index 'maps' using "fresh" nooutput name 'F'
n = T_max + 1
heading = "Rotary positions: the score depends on i − j alone"
description = sprintf("Three heat maps of scores, query i down and key j across, \
for %d positions. Rotary positions with one content are constant along every \
diagonal, a Toeplitz matrix; so are the products of sinusoidal positions; \
rotary positions with fresh content show no diagonals.", n)

# Characters have no shades: two rows of the first map, against i − j.
if (out eq "-") {
    set title titled(heading, "rotary, one content, first and last query")
    set xlabel 'i − j'
    set ylabel 'score'
    plot for [k = 0:1] dat index 'maps' using \
        (column("i") == k * T_max ? column("i") - column("j") : 1/0):"rotary" \
        with points
    exit
}

first = n > 100 ? 0.14 : 0.11
gap = 0.075
width = (0.97 - first - 2 * gap) / 3
set multiplot layout 1,3 margins first,0.97,0.35,0.79 spacing gap title \
    titled(heading, "one q and one k at every position give a Toeplitz matrix; \
fresh content does not")
set size ratio -1
unset grid
set border 15 lw 1
set xrange [-0.5:n - 0.5]
set yrange [n - 0.5:-0.5]
step = floor(n / 2)
set xtics 0,step,step out
set ytics 0,step,step out
set xlabel 'key j'
set ylabel 'query i' offset 1
# from dark to light, so that it is read in grey too
set palette defined (-1 '#00334F', 0 '#A8A8A8', 1 '#FFD27F')
set colorbox horizontal user origin screen first,0.12 size width,0.03
set format cb '%.1f'
set title 'rotary, one content'
top = abs(A_min) > abs(A_max) ? abs(A_min) : abs(A_max)
set cbrange [-top:top]
set cbtics top / 2
plot dat index 'maps' using "j":"i":"rotary" with image
set ylabel ''
set title 'sinusoidal, ⟨p_i, p_j⟩'
set colorbox horizontal user \
    origin screen first + gap + width,0.12 size width,0.03
set cbrange [-1:1]
set cbtics 0.5
plot dat index 'maps' using "j":"i":"sinusoidal" with image
set title 'rotary, fresh content'
set colorbox horizontal user \
    origin screen first + 2 * (gap + width),0.12 size width,0.03
top = abs(F_min) > abs(F_max) ? abs(F_min) : abs(F_max)
set cbrange [-top:top]
set cbtics top / 2
plot dat index 'maps' using "j":"i":"fresh" with image
unset multiplot
