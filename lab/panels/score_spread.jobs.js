// Score spread, in the worker: a sample that grows.

export const laws = ["normal", "uniform", "rademacher", "laplace", "student8"];

// Bins a tenth of sqrt(d_k) wide; scores of signs lie on a lattice, which each bin
// then holds the same number of points of.
function binsOf({ d_k, entries, variance }, count) {
  const fine = Math.sqrt(d_k) / 10;
  if (entries !== "rademacher") return { width: fine, origin: -count / 2 * fine };
  const width = 2 * variance * Math.max(1, Math.round(fine / 2));
  return { width, origin: -count / 2 * width - (d_k % 2 ? 0 : variance) };
}

// The row of the .dat file by its names, as text: every digit that the file has.
function rowOf(text) {
  const [names, values] = text.trim().split("\n").map((each) => each.trim().split(/\s+/));
  return values && Object.fromEntries(names.map((name, k) => [name, values[k]]));
}

export function* grow(lab, { seed, d_k, pairs, entries, variance, correlation, paced }) {
  const count = lab.spread_bins_count();
  const bins = binsOf({ d_k, entries, variance }, count);
  if (lab.spread_begin(BigInt(seed), laws.indexOf(entries), d_k, variance, correlation, bins.origin, bins.width))
    throw new Error("these options do not go together");
  const part = (N) => {
    const status = lab.spread_grow(N);
    if (status) throw new Error(`GSL status ${status}`);
    return { N, bins, row: rowOf(lab.text(lab.spread_row())), lines: lab.text(lab.spread_lines()),
      counts: lab.words(lab.spread_bins(), count).slice() };
  };
  // A part is some 10 ms of work, or where it is to be watched a hundredth.
  let step = paced ? Math.max(64, Math.ceil(pairs / 6400) * 64) : 64;
  for (let N = Math.min(step, pairs); N < pairs; N += step) {
    const begun = performance.now();
    yield { ...part(N), pause: paced ? 25 : 0 };
    if (!paced && performance.now() - begun < 10) step *= 2;
  }
  return part(pairs);
}
