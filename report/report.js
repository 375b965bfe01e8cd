// A button on every command copies it; buttons in the ledger's head sort it; wide
// formulas can be scrolled from the keyboard.
"use strict";

for (const pre of document.querySelectorAll("pre")) {
  const command = pre.textContent.trim();
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy: " + command);
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", async () => {
    let copied = true;
    try {
      await navigator.clipboard.writeText(command);
    } catch {
      // No permission: select it, so that the keyboard can copy it.
      getSelection().selectAllChildren(pre.querySelector("code"));
      copied = false;
    }
    button.textContent = copied ? "Copied" : "Selected";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  pre.append(button);
}

// A formula wider than its line scrolls in its box, and so the keyboard gets there.
const boxes = new ResizeObserver((changes) => {
  for (const { target } of changes)
    if (target.scrollWidth > target.clientWidth) target.setAttribute("tabindex", "0");
    else target.removeAttribute("tabindex");
});
for (const box of document.querySelectorAll(".equation, .wide")) boxes.observe(box);

const ledger = document.querySelector("table.ledger");
const heads = [...ledger.tHead.rows[0].cells];

// "± 1.2 × 10−3" is 0.0012; what has no number in it is ordered as text.
const number = (text) => {
  const [, mantissa, exponent] = text.replaceAll("−", "-").replaceAll(",", "")
    .match(/(-?[\d.]+)(?:\s×\s10(-?\d+))?/) ?? [];
  return mantissa === undefined ? NaN : Number(mantissa + "e" + (exponent ?? 0));
};

heads.forEach((head, column) => {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => {
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const numeric = head.classList.contains("n");
    const key = (row) => {
      const text = row.cells[column].textContent.trim();
      return numeric ? number(text.replace("χ²", "")) : text;
    };
    const order = (a, b) => {
      const x = key(a), y = key(b);
      if (!numeric) return x.localeCompare(y, "en");
      if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(y) - Number.isNaN(x);
      return x - y;
    };
    const rows = [...ledger.tBodies[0].rows].sort(order);
    ledger.tBodies[0].append(...(up ? rows : rows.reverse()));
  });
});
