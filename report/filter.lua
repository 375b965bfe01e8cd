-- What browsers do not do with MathML, and what a narrow screen needs.

-- TeX ends a line after a relation or between two terms, browsers never inside
-- a formula. So a long one in the text is cut there, outside of all brackets.
local relation = {["="] = true, ["<"] = true, [">"] = true, ["\\le"] = true,
  ["\\ge"] = true, ["\\approx"] = true, ["\\sim"] = true, ["\\to"] = true}
local open = {["{"] = true, ["("] = true, ["["] = true, ["\\lVert"] = true,
  ["\\lvert"] = true}
local close = {["}"] = true, [")"] = true, ["]"] = true, ["\\rVert"] = true,
  ["\\rvert"] = true}

local function pieces(tex)
  local all, piece, depth, bar = {}, "", 0, false
  while tex ~= "" do
    local token = tex:match("^\\%a+") or tex:match("^\\.") or tex:sub(1, 1)
    tex = tex:sub(#token + 1)
    local binary = (token == "+" or token == "-") and piece:match("[^%s({=<>]%s*$")
    piece = piece .. token
    if open[token] then depth = depth + 1 end
    if close[token] then depth = depth - 1 end
    if token == "|" then bar = not bar end
    if depth == 0 and not bar and #piece > 9 and (relation[token] or binary) then
      all[#all + 1], piece = piece, ""
    end
  end
  all[#all + 1] = piece
  return all
end

function Math(formula)
  -- MathML in browsers knows no upright or bold style for a run of letters:
  -- names of operators become text, a bold 1 its own character.
  local tex = formula.text
    :gsub("\\mathrm{(%a+)} (%a)", "\\text{%1}\\,%2")
    :gsub("\\mathrm{(%a+)}", "\\text{%1}")
    :gsub("\\mathbf{1}", "𝟏")
  if formula.mathtype == "DisplayMath" then
    -- A box of its own, so that a wide equation scrolls there and not the page.
    return pandoc.Span({pandoc.Math("DisplayMath", tex)}, {class = "equation"})
  end
  if #tex < 30 then
    return pandoc.Math("InlineMath", tex)
  end
  local all = pandoc.List()
  for _, piece in ipairs(pieces(tex)) do
    all:insert(pandoc.Math("InlineMath", piece))
  end
  return all
end

-- So does a table of the derivations.
function Table(rows)
  return pandoc.Div({rows}, {class = "wide"})
end
