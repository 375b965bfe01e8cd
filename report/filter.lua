-- A displayed equation gets a box of its own, so that a wide one scrolls there
-- and not the page; so does a table of the derivations.
function Math(equation)
  if equation.mathtype == "DisplayMath" then
    return pandoc.Span({equation}, {class = "equation"})
  end
end

function Table(rows)
  return pandoc.Div({rows}, {class = "wide"})
end
