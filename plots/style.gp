# The look of every figure, and the only place with a terminal in it:
#
#     gnuplot -c plots/style.gp SCRIPT DATA OUTPUT
#
# OUTPUT ends in .svg, .pdf or .png, or is "-" for characters on the terminal:
# then two more may follow, the columns of the window and "colour".
# SCRIPT then draws from the file `dat`, with columns by name and blocks by
# index: plot dat index 'scaled' using "d_k":"sd". Text is enhanced, d_k has an
# index; a root or a dot is the character itself, √ or ·. It sets `heading` and
# `description`, plain text for those who hear the figure.

if (ARGC < 3 || ARGC > 5) {
    print "style.gp: gnuplot -c plots/style.gp SCRIPT DATA OUTPUT"
    exit status 1
}

reset
set encoding utf8
set decimalsign '.'
# ./ for what gnuplot would take for a command or a home: <x, |x, $x, ~.
here(path) = path[1:1] eq '/' ? path : './' . path
dat = here(ARG2)
out = ARG3 eq '-' ? ARG3 : here(ARG3)

# gnuplot by itself goes on when there is no data, and reports success.
set datafile columnheaders
stats dat using 1 nooutput
if (!exists("STATS_records") || STATS_records < 1) {
    print "style.gp: no data, " . dat . ", run the program that writes it"
    exit status 1
}

# One font for all, read from the back row. "sans-serif" is a family that every
# browser and fontconfig know.
set_svg = "set terminal svg enhanced size 900,600 butt \
    font 'sans-serif,20' background rgb 'white'"
set_pdf = "set terminal pdfcairo enhanced size 9in,6in butt \
    font 'sans-serif,20' fontscale 0.75"
set_png = "set terminal pngcairo enhanced size 1800,1200 butt \
    font 'sans-serif,20' fontscale 1.5 linewidth 2 pointscale 2"

ending = strlen(out) > 4 ? out[strlen(out) - 3:] : out
if (ending eq ".svg") {
    eval set_svg
} else { if (ending eq ".pdf") {
    eval set_pdf
} else { if (ending eq ".png") {
    eval set_png
} else { if (out eq "-") {
    columns = ARGC > 3 ? int(ARG4) - 1 : 79
    columns = columns < 40 ? 40 : columns > 120 ? 120 : columns
    rows = 16 + columns / 6
    if (ARG5 eq "colour") {
        set terminal dumb enhanced ansi256 size columns,rows
    } else {
        set terminal dumb enhanced mono size columns,rows
    }
} else {
    print "style.gp: unknown format, " . out . ", use .svg, .pdf, .png or -"
    exit status 1
}}}}
if (out ne "-") { set output out }

# Okabe and Ito's palette without its yellow: told apart with any kind of
# colour vision, and by dash and point where there is no colour.
# Points of one size in every format: the SVG terminal draws them larger.
points = ending eq ".svg" ? 0.75 : 1.2
set linetype 1 lc rgb '#0072B2' lw 3 dt 1         pt 7  ps points
set linetype 2 lc rgb '#D55E00' lw 3 dt (12,5)    pt 5  ps points
set linetype 3 lc rgb '#009E73' lw 3 dt (3,4)     pt 9  ps points
set linetype 4 lc rgb '#CC79A7' lw 3 dt (12,4,3,4) pt 13 ps points
set linetype 5 lc rgb '#E69F00' lw 3 dt (20,5)    pt 11 ps points
set linetype 6 lc rgb '#56B4E9' lw 3 dt (6,6)     pt 6  ps points
set linetype 7 lc rgb '#000000' lw 3 dt (12,4,3,4,3,4) pt 4 ps points
set linetype cycle 7
set bars 0.6

set border 3 lw 1.5
set tics nomirror
if (out ne "-") { set grid lt 1 lc rgb '#DDDDDD' lw 1 dt 1 }
set key noautotitle spacing 1.3
# On a scale of many decades they would run together.
unset mxtics
unset mytics

# What is claimed, and below it, smaller, what is drawn.
titled(claim, details) = claim . "\n{/*0.8 " . details . "}"

# Two panels side by side: set multiplot @panels title ...
panels = "layout 1,2 margins 0.105,0.975,0.16,0.75 spacing 0.135"

# A name that a reader gave, in enhanced text as it is.
literal(s) = (t = '', (sum [i = 1:strlen(s)] (t = t . \
    (strstrt("\\_^{}@&~", s[i:i]) ? "\\" : '') . s[i:i], 0)), t)

load ARG1
unset output

if (!exists("heading") || !exists("description")) {
    print "style.gp: no heading or description, " . ARG1 . ", say what is drawn"
    exit status 1
}

# A word for the shell.
quoted(s) = (t = '', (sum [i = 1:strlen(s)] (t = t . \
    (s[i:i] eq "'" ? "'\\''" : s[i:i]), 0)), "'" . t . "'")

# gnuplot does not notice a full disk.
if (out ne "-") {
    last = ending eq ".svg" ? "'</svg>'" : ending eq ".pdf" ? "%%EOF" : "IEND"
    told = system('tail -c 16 <' . quoted(out) . ' | grep -q ' . last)
    if (GPVAL_SYSTEM_ERRNO != 0) {
        print "style.gp: not drawn to its end, " . out . ", make room"
        exit status 1
    }
}

# What gnuplot's SVG lacks: its title and description; ids that are no other
# figure's, so that several can stand in one page; open points that are seen,
# pixels with edges, and the blank after a subscript, which librsvg drops.
if (ending eq ".svg") {
    own = ARG1
    while (strstrt(own, "/")) { own = own[strstrt(own, "/") + 1:] }
    own = own[:strlen(own) - 3]
    # text in XML, in what sed puts in, in the shell's quotes: none of & < ' \ |
    xml(s) = (t = '', (sum [i = 1:strlen(s)] (t = t . \
        ((k = strstrt("&<'\\|", s[i:i])) ? \
        '\&#' . word("38 60 39 92 124", k) . ';' : s[i:i]), 0)), t)
    edit(from, to) = " -e '" . from . '|' . to . "|g'"
    whole = quoted(out . '.tmp')
    told = system('sed' . \
        edit('/<text>/!s|\( id=.\)\([a-zA-Z]\)', '\1' . own . '-\2') . \
        edit('/<text>/!s|\(href=.#\)gp', '\1' . own . '-gp') . \
        edit('s|<title>gnuplot_plot[^<]*</title>', '') . \
        edit('s|^<title>.*', \
             '<title id="' . own . '-title">' . xml(heading) . '</title>') . \
        edit('s|^<desc>.*', \
             '<desc id="' . own . '-desc">' . xml(description) . '</desc>') . \
        edit('/^.<[a-z]* id=.[^ ]*gpPt/s|0\.133', '0.3') . \
        edit('s|^<image ', '&style="image-rendering:pixelated" ') . \
        edit('s|^ viewBox=', ' role="img" aria-labelledby="' . \
             own . '-title ' . own . '-desc"&') . \
        edit('/dy="[^"]*"> /s|<text>', '<text xml:space="preserve">') . \
        edit('s|]]>', ']]\&gt;') . \
        ' <' . quoted(out) . ' >' . whole . \
        ' && mv -f -- ' . whole . ' ' . quoted(out) . \
        ' || { rm -f -- ' . whole . '; false; }')
    if (GPVAL_SYSTEM_ERRNO != 0) {
        print "style.gp: sed failed, " . out . ", see its message"
        exit status 1
    }
}
