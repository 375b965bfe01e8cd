# One Markdown page from everything that the project knows about its claims:
#
#   assemble.awk -v results=FOLDER part=sections report/sections.md \
#       part=readme README.md part=ledger docs/ledger.tsv \
#       part=lines FOLDER/*.claims.tsv part=suite SUITE \
#       part=evidence docs/evidence.md part=derivations docs/derivations.md
#
# SUITE holds the last lines of tools/claims.awk. docs/derivations.md leads:
# its headings are the lecture's sections and the claims' ids, in order. Every
# part that is missing is an error, never a gap in the page.

BEGIN {
    FS = "\t"
    NB = "\302\240" # a space where no line may end
    split("NONE HOLDS CONSISTENT WEAK INCONCLUSIVE CONTRADICTED INCONSISTENT",
        word, " ")
    for (k in word)
        rank[word[k]] = k
    symbol["HOLDS"] = symbol["CONSISTENT"] = "✓"
    symbol["WEAK"] = "≈"
    symbol["INCONCLUSIVE"] = "?"
    symbol["CONTRADICTED"] = symbol["INCONSISTENT"] = "✗"
    look["HOLDS"] = look["CONSISTENT"] = "good"
    look["WEAK"] = "weak"
    look["INCONCLUSIVE"] = "open"
    look["CONTRADICTED"] = look["INCONSISTENT"] = "bad"
}

# --- what is read -----------------------------------------------------------

part == "sections" && /^## / { section = substr($0, 4); next }
part == "sections" && /^<!-- figure / {
    split($0, f, " ")
    stem = f[3]
    sub(/:/, "", stem)
    figures[f[4]] = figures[f[4]] " " stem
    next
}
part == "sections" && /^### Try next/ { trying[section] = 1; next }
part == "sections" && trying[section] { try[section] = try[section] $0 "\n"; next }
part == "sections" && section != "" { lead[section] = lead[section] $0 "\n"; next }

# The README's table of pictures: a row of images, then one of captions.
part == "readme" && /^\| !\[/ { images = $0; next }
part == "readme" && images != "" {
    n = split(images, image, / \| /)
    split($0, caption, / \| /)
    for (k = 1; k <= n; k++) {
        if (!match(image[k], /\(results\/[a-z0-9_-]+\.svg\)/))
            continue
        stem = substr(image[k], RSTART + 9, RLENGTH - 14)
        sub(/^\| /, "", caption[k])
        sub(/ \|$/, "", caption[k])
        title[stem] = caption[k]
    }
    images = ""
    next
}
part == "readme" && /^Where the lecture's wording/ { wording = "\n"; inside = 1; next }
part == "readme" && /^## / { inside = 0 }
part == "readme" && inside { wording = wording prose($0) "\n" }
part == "readme" { next }

part == "ledger" {
    if (FNR == 1)
        next
    order[++claims] = $1
    section_of[$1] = $2
    program[$1] = $3
    statement[$1] = $5
    next
}

part == "lines" {
    if (FNR == 1)
        next
    id = $1
    sub(/\/.*/, "", id)
    if (!(id in section_of))
        fail($1 " is not in the ledger")
    if (seed != "" && seed != $10)
        fail(FILENAME " is of seed " $10 ", the others of " seed)
    seed = $10
    line[id, ++lines[id]] = $0
    if ($1 == id)
        own[id] = $0
    if (rank[$11] > rank[worst[id]])
        worst[id] = $11
    next
}

part == "suite" {
    if (sub(/^suite: /, ""))
        suite = $0
    else
        said = said "<p>" pretty($0) "</p>\n"
    next
}

part == "evidence" {
    if (sub(/^!\[/, "")) {
        stem = "seeds"
        title[stem] = "The p-values of every statistical claim over many seeds, sorted: uniform, as they should be."
        $0 = figure(stem, "results")
    } else if (/^# /)
        next
    else if (/^## /)
        sub(/^/, "#")
    else {
        gsub(/\]\(derivations\.md\)/, "](#how-a-verdict-is-reached)")
        $0 = linked($0)
    }
    evidence = evidence $0 "\n"
    next
}

part == "derivations" && /^# / { section = ""; next }
part == "derivations" && /^## / {
    close_block()
    section = substr($0, 4)
    headings[++sections] = section
    next
}
part == "derivations" && /^### / {
    close_block()
    block = substr($0, 5)
    next
}
part == "derivations" && section == "" { letters = letters $0 "\n"; next }
part == "derivations" && block == "" {
    page[section] = page[section] linked($0) "\n"
    next
}
part == "derivations" && says text == "" && /^$/ { next }
part == "derivations" {
    # The claim itself ends where the next bold lead begins.
    if (says == "" && sub(/^\*\*Claim\.\*\* /, ""))
        claiming = 1
    else if (says == "" && sub(/^\*\*Claim\*\* \(beyond the lecture\)\. /, "")) {
        claiming = 1
        beyond = 1
    } else if (/^\*\*/)
        claiming = 0
    if (claiming)
        says = says $0 "\n"
    else
        text = text linked($0) "\n"
}

# --- what is written --------------------------------------------------------

# A claim, or a step that several claims share.
function close_block(    k, n, stem, body) {
    if (block == "")
        return
    if (block in section_of) {
        if (!lines[block])
            fail(block " was not measured")
        if (says == "")
            fail("docs/derivations.md does not say what " block " claims")
        body = "\n### " markdown(pretty(statement[block])) " {#" block " .claim}\n\n" \
            "<p class=\"tags\"><a href=\"#" block "\"><code>" block "</code></a> " \
            badge(worst[block]) (beyond ? " beyond the lecture" : "") "</p>\n\n" \
            says "\n"
        n = split(figures[block], stem, " ")
        for (k = 1; k <= n; k++)
            body = body figure(stem[k], results)
        body = body table(block) "\n" command(block) "\n" \
            fold("Derivation, measurement, what would turn the verdict", text)
        done[block] = 1
    } else
        body = "\n### " block " {#" slug(block) "}\n\n" \
            fold("The common part of the derivations that follow", text)
    page[section] = page[section] body
    block = says = text = ""
    claiming = beyond = 0
}

function fold(summary, text) {
    return "<details>\n<summary>" summary "</summary>\n\n" text "\n</details>\n"
}

function badge(verdict) {
    if (!(verdict in look))
        return "<span class=\"verdict none\">– no verdict</span>"
    return "<span class=\"verdict " look[verdict] "\"><span aria-hidden=\"true\">" \
        symbol[verdict] "</span> " verdict "</span>"
}

function command(id) {
    return "```sh\nbin/" program[id] (seed == 1 ? "" : " --seed " seed) \
        " | grep " id "\n```\n"
}

# The cells of a line, each as HTML, by what its numbers mean.
function cells(text,    f, above) {
    split(text, f, "\t")
    kind = f[2]
    predicted = number(f[3], 5)
    measured = number(f[4], 5)
    spread = distance = "–"
    p = number(f[7], 3)
    caught = f[8] == "-" ? "–" : number(100 * f[8], 2) NB "%"
    trials = number(f[9], 12)
    verdict = f[11]
    why = f[12]
    if (kind == "stat") {
        # a sweep: chi^2 of f[3] points, whose standard deviation is sqrt(2 f[3])
        if (f[3] > 0 && (f[5] * f[5] / (2 * f[3]) - 1) ^ 2 < 1e-12) {
            predicted = "χ²" NB "of" NB f[3]
            measured = "χ²" NB measured
        }
        spread = "±" NB number(f[5], 3)
        distance = "<i>z</i>" NB "=" NB number(f[6], 3)
    } else if (kind == "approx") {
        spread = "±" NB number(f[5], 3)
        above = f[8] == "-"
        if (above)
            predicted = "above " predicted
        distance = number(f[6], 3) (above ? " × interval" : " of margin")
    } else if (kind == "bound") {
        predicted = "at most " predicted
        spread = f[5] == 0 ? "none" : "rounding " number(f[5], 3)
        distance = number(f[6], 3) " of bound"
    } else if (kind == "exact" && f[3] == "-") {
        predicted = "at least " number(f[5], 3)
        distance = number(f[6], 3) " × floor"
    } else if (kind == "exact" && f[5] == 0) {
        spread = "equality"
    } else if (kind == "exact") {
        spread = "limit " number(f[5], 3)
        distance = number(f[6], 3) " of limit"
    }
}

function cell(class, label, text) {
    if (text == "–")
        class = class (class == "" ? "" : " ") "nil"
    return "<td" (class == "" ? "" : " class=\"" class "\"") " data-label=\"" \
        label "\">" text "</td>\n"
}

function head(class, text) {
    return "<th scope=\"col\"" (class == "" ? "" : " class=\"" class "\"") ">" \
        text "</th>\n"
}

# Every line of a claim; p and the power only where some line has them.
function table(id,    k, f, statistical, html_) {
    for (k = 1; k <= lines[id]; k++) {
        split(line[id, k], f, "\t")
        statistical += f[7] != "-" || f[8] != "-"
    }
    html_ = "<table class=\"lines\">\n<caption>Predicted and measured at seed " \
        seed "</caption>\n<thead>\n<tr>\n" head("", "what is checked") \
        head("n", "predicted") head("n", "measured") \
        head("n", "± or limit") head("n", "distance")
    if (statistical)
        html_ = html_ head("n", "<i>p</i>") head("n", "catches")
    html_ = html_ head("n", "<i>N</i>") head("", "verdict") \
        "</tr>\n</thead>\n<tbody>\n"
    for (k = 1; k <= lines[id]; k++) {
        split(line[id, k], f, "\t")
        cells(line[id, k])
        html_ = html_ "<tr>\n<th scope=\"row\"><i>" kind "</i> <code>" \
            broken(f[1]) "</code> " pretty(why) "</th>\n" \
            cell("n", "predicted", predicted) cell("n", "measured", measured) \
            cell("n", "± or limit", spread) cell("n", "distance", distance)
        if (statistical)
            html_ = html_ cell("n", "p", p) cell("n", "catches", caught)
        html_ = html_ cell("n", "N", trials) \
            cell("", "verdict", badge(verdict)) "</tr>\n"
    }
    return html_ "</tbody>\n</table>\n"
}

# A row of the ledger: the line of the claim's own name, or each of its parts.
function row(n, id, text, result,    f, at) {
    split(text, f, "\t")
    cells(text)
    at = f[1]
    sub(/^[^\/]*\/?/, "", at)
    gsub(/_/, " ", at)
    return "<tr>\n" cell("n", "no.", n) "<th scope=\"row\"><a href=\"#" id \
        "\">" pretty(statement[id]) "</a>" (at == "" ? "" : ": " at) "</th>\n" \
        cell("", "id", "<code>" broken(f[1]) "</code>") \
        cell("n", "predicted", predicted) cell("n", "measured", measured) \
        cell("n", "± or limit", spread) cell("", "verdict", badge(result)) "</tr>\n"
}

function ledger(    i, k, id, n, html_) {
    html_ = "<table class=\"ledger\">\n<caption>Every claim, in the " \
        "lecture's order</caption>\n<thead>\n<tr>\n" head("n", "no.") \
        head("", "claim") head("", "id") \
        head("n", "predicted") head("n", "measured") head("n", "± or limit") \
        head("", "verdict") "</tr>\n</thead>\n<tbody>\n"
    for (i = 1; i <= claims; i++) {
        id = order[i]
        # A claim whose own line passes is no better than its worst other line.
        if (id in own)
            html_ = html_ row(++n, id, own[id], own_verdict(id))
        else
            for (k = 1; k <= lines[id]; k++) {
                cells(line[id, k])
                html_ = html_ row(++n, id, line[id, k], verdict)
            }
    }
    return html_ "</tbody>\n</table>\n"
}

function own_verdict(id) {
    cells(own[id])
    return rank[worst[id]] > rank["CONSISTENT"] ? worst[id] : verdict
}

# The picture inline, with the title and description that it has itself; its
# caption is the README's, or its title. Empty groups, which are half of the
# lines, are left out.
function figure(stem, folder,    path, text, held, got, svg, head_, begun, own) {
    drawn[stem] = 1
    path = folder "/" stem ".svg"
    while ((got = (getline text < path)) > 0) {
        if (!begun) {
            head_ = head_ " " text
            if (text ~ /^>/)
                begun = 1
            continue
        }
        if (text ~ /^<title /) {
            own = text
            gsub(/<[^>]*>/, "", own)
        }
        if (text ~ /^[ \t]*$/)
            continue
        sub(/<title>[^<]*<\/title>/, "", text)
        if (text ~ /font-family/)
            text = dark(text)
        if (text ~ /^<\/g>/ && held != "") {
            held = ""
            continue
        }
        if (held != "")
            svg = svg held "\n"
        held = ""
        if (text ~ /^<g [^>]*>$/)
            held = text
        else
            svg = svg text "\n"
    }
    close(path)
    if (got < 0 || own == "" || !match(head_, /viewBox="[^"]*"/))
        fail(path " is missing, or no SVG with a title")
    return "```{=html}\n<figure id=\"figure-" stem "\">\n<svg role=\"img\" " \
        substr(head_, RSTART, RLENGTH) " aria-labelledby=\"" stem "-title " stem \
        "-desc\">\n" svg "<figcaption>" (stem in title ? pretty(title[stem]) : own) \
        " <small><code>" folder "/" stem ".svg</code></small></figcaption>\n" \
        "</figure>\n```\n\n"
}

# Labels in the colours of their curves, dark enough to be read on white (WCAG
# AA); the curves, which need less, keep theirs.
function dark(s) {
    sub(/fill="rgb\(213,94,0\)"/, "fill=\"rgb(163,72,0)\"", s)
    sub(/fill="rgb\(0,158,115\)"/, "fill=\"rgb(0,102,74)\"", s)
    sub(/fill="rgb\(204,121,167\)"/, "fill=\"rgb(144,62,108)\"", s)
    sub(/fill="rgb\(230,159,0\)"/, "fill=\"rgb(128,82,0)\"", s)
    return s
}

# --- words and numbers ------------------------------------------------------

function escaped(s) {
    gsub(/&/, "\\&amp;", s)
    gsub(/</, "\\&lt;", s)
    gsub(/>/, "\\&gt;", s)
    return s
}

# s with old replaced by new wherever re, which may hold its neighbours, matches.
function swap(s, re, old, new,    out, hit) {
    while (match(s, re)) {
        hit = substr(s, RSTART, RLENGTH)
        sub(old, new, hit)
        out = out substr(s, 1, RSTART - 1) hit
        s = substr(s, RSTART + RLENGTH)
    }
    return out s
}

# A plain-text formula as HTML: roots, subscripts, powers, Greek letters.
function pretty(s,    out, inner) {
    s = escaped(s)
    gsub(/&lt;=/, "≤", s)
    gsub(/&gt;=/, "≥", s)
    gsub(/1e-12/, "10<sup>−12</sup>", s)
    gsub(/1e-9/, "10<sup>−9</sup>", s)
    s = swap(s, "(^|[^A-Za-z])eps", "eps", "ε")
    s = swap(s, "(^|[^A-Za-z])sigma", "sigma", "σ")
    s = swap(s, "(^|[^A-Za-z])beta", "beta", "β")
    s = swap(s, "(^|[^A-Za-z])rho", "rho", "ρ")
    s = swap(s, "(^|[^A-Za-z])chi", "chi", "χ")
    s = swap(s, "sum (a |a\\^|cos|\\|)", "sum", "Σ")
    out = ""
    while (match(s, /sqrt\([^()]*(\([^()]*\)[^()]*)*\)/)) {
        inner = substr(s, RSTART + 5, RLENGTH - 6)
        out = out substr(s, 1, RSTART - 1) "√" \
            (inner ~ /^[A-Za-z0-9_]+$/ ? inner : "(" inner ")")
        s = substr(s, RSTART + RLENGTH)
    }
    s = out s
    gsub(/sqrt /, "√", s)
    out = ""
    while (match(s, /\^(\([^()]*\)|-?[0-9]+|[A-Z])/)) {
        inner = substr(s, RSTART + 1, RLENGTH - 1)
        gsub(/^\(|\)$/, "", inner)
        out = out substr(s, 1, RSTART - 1) "<sup>" inner "</sup>"
        s = substr(s, RSTART + RLENGTH)
    }
    s = out s
    s = lowered(s)
    gsub(/ - /, " − ", s)
    gsub(/ %/, NB "%", s)
    gsub(/'/, "’", s)
    s = swap(s, "(^|[(>, ])-[0-9a-zβ]", "-", "−")
    s = swap(s, "[(][kn]-1", "-", "−")
    s = swap(s, "[0-9n] x [0-9n]", "x", "×")
    return s
}

# A name that may be broken where its words meet.
function broken(s) {
    gsub(/[._\/]/, "&<wbr>", s)
    return s
}

# d_k as HTML has it; a name of the library is no letter with an index.
function lowered(s,    out, hit) {
    while (match(s, /[A-Za-z]+_[A-Za-z0-9_]+|[|]_[A-Za-z0-9]+/)) {
        hit = substr(s, RSTART, RLENGTH)
        if (hit ~ /^[A-Za-z|][A-Za-z]?_[^_]*$/) {
            sub(/_/, "<sub>", hit)
            hit = hit "</sub>"
        }
        out = out substr(s, 1, RSTART - 1) hit
        s = substr(s, RSTART + RLENGTH)
    }
    return out s
}

# The same in Markdown, whose code stays as it is.
function prose(s,    n, f, k, out) {
    n = split(s, f, "`")
    for (k = 1; k <= n; k++)
        out = out (k > 1 ? "`" : "") (k % 2 ? lowered(f[k]) : f[k])
    return out
}

# What Markdown would read as its own is escaped.
function markdown(s) {
    gsub(/[][*]/, "\\\\&", s)
    return s
}

# Ids of claims in a text lead to them.
function linked(s,    k, id) {
    if (s !~ /`[a-z]+\.[a-z0-9_]+`/)
        return s
    for (k = 1; k <= claims; k++) {
        id = order[k]
        gsub(/\./, "[.]", id)
        gsub("`" id "`", "[`" order[k] "`](#" order[k] ")", s)
    }
    return s
}

# "Why Divide by $\sqrt{d_k}$?" is #why-divide-by-sqrt-d-k.
function slug(s) {
    s = tolower(s)
    gsub(/'/, "", s)
    gsub(/[^a-z0-9]+/, "-", s)
    gsub(/^-|-$/, "", s)
    return s
}

# Whole numbers in full, others to so many digits, powers of ten as such.
function number(x, digits,    s, k) {
    if (x == "-")
        return "–"
    s = sprintf("%.0f", x)
    if (s + 0 == x + 0 && length(s) < 13) {
        for (k = length(s) - 3; k > (s ~ /^-/); k -= 3)
            s = substr(s, 1, k) "," substr(s, k + 1)
    } else {
        s = sprintf("%." digits "g", x)
        if (match(s, /e/)) {
            k = substr(s, RSTART + 1) + 0
            s = substr(s, 1, RSTART - 1) NB "×" NB "10<sup>" k "</sup>"
        }
    }
    gsub(/-/, "−", s)
    return s
}

function fail(why) {
    print "report: " why > "/dev/stderr"
    failed = 1
    exit 1
}

function heading(text) { return "\n## " text " {#" slug(text) "}\n\n" }

END {
    if (failed)
        exit 1
    close_block()
    for (k = 1; k <= claims; k++)
        if (!done[order[k]])
            fail("docs/derivations.md does not have " order[k])
    for (section in figures)
        if (!(section in section_of))
            fail("report/sections.md has a figure at " section ", no claim")

    print "---"
    print "title: Self-attention, measured"
    print "seed: '" seed "'"
    if (seed != 1)
        print "other: 'SEED=" seed "'"
    print "claims: '" claims "'"
    print "suite: |\n  ```{=html}\n  <p class=\"suite\">The suite: " \
        badge(suite) "</p>"
    gsub(/\n/, "\n  ", said)
    print "  " said "```"
    print "---"

    text = lead["Read this page"]
    for (k in look)
        gsub("[{]" k "[}]", badge(k), text)
    print heading("Read this page") text
    print fold("The letters", letters)
    for (k = 1; k <= sections; k++) {
        section = headings[k]
        if (!(section in lead)) {
            appendix = appendix heading(section) page[section]
            continue
        }
        print heading(section) lead[section] page[section]
        print "\n### Try next {#" slug(section) "-next .next}\n" try[section]
        shown[section] = 1
    }
    for (section in lead)
        if (section != "Read this page" && !shown[section])
            fail("docs/derivations.md has no section " section)
    if (wording == "")
        fail("README.md does not say where the lecture\047s wording needs a condition")
    print heading("Where the wording needs a condition") linked(wording)
    print heading("All claims") ledger()
    print heading("Evidence") evidence
    print appendix
}
