# Score matrices as heat maps: rotary positions with one content, sinusoidal
# positions by themselves, rotary positions with fresh content.
stats dat index 'maps' using "i" nooutput name 'T'
stats dat index 'maps' using "rotary" nooutput name 'A'
stats dat index 'maps' using "fresh" nooutput name 'F'
n = T_max + 1
set multiplot layout 1,3 margins 0.1,0.98,0.35,0.79 spacing 0.07 title \
"Rotary positions: the score depends on i − j alone\n\
{/*0.8 one q and one k at every position give a Toeplitz matrix; fresh content \
does not}"
set size ratio -1
unset grid
set border 15 lw 1
set xrange [-0.5:n - 0.5]
set yrange [n - 0.5:-0.5]
set xtics floor(n / 3) out
set ytics floor(n / 3) out
set xlabel 'key j'
set ylabel 'query i' offset 1.5
set palette defined (-1 '#0072B2', 0 '#FFFFFF', 1 '#D55E00')
set colorbox horizontal user origin screen 0.1,0.12 size 0.24,0.03
set format cb '%.1f'
set title 'rotary, one content'
top = abs(A_min) > abs(A_max) ? abs(A_min) : abs(A_max)
set cbrange [-top:top]
set cbtics top / 2
plot dat index 'maps' using "j":"i":"rotary" with image
set ylabel ''
set title 'sinusoidal, ⟨p_i, p_j⟩'
set colorbox horizontal user origin screen 0.415,0.12 size 0.24,0.03
set cbrange [-1:1]
set cbtics 0.5
plot dat index 'maps' using "j":"i":"sinusoidal" with image
set title 'rotary, fresh content'
set colorbox horizontal user origin screen 0.73,0.12 size 0.24,0.03
top = abs(F_min) > abs(F_max) ? abs(F_min) : abs(F_max)
set cbrange [-top:top]
set cbtics top / 2
plot dat index 'maps' using "j":"i":"fresh" with image
unset multiplot
