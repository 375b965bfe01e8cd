// Softmax under pressure, in the worker: the exact curves and the mean of many
// heads.

// Points of the program's grid, sigma = 2^(i/10)/4, from 1/32 to 64: close together
// where the curves bend.
const grid = Array.from({ length: 111 }, (_, k) => k - 30).filter((i) => i % (i < -10 || i > 50 ? 5 : 2) === 0);

export function* curve(lab, { n }) {
  const points = [];
  let begun = performance.now();
  for (const i of grid) {
    const at = lab.freezing_point(n, i);
    if (!at) throw new Error("no such curve");
    const [sigma, squares, trace, frobenius] = lab.doubles(at, 4);
    points.push({ sigma, squares, trace, frobenius });
    if (performance.now() - begun < 8) continue;
    yield { n, points: points.slice() };
    begun = performance.now();
  }
  return { n, points, isWhole: true };
}

export function* grow(lab, { seed, regime, n, d_k, exponent, heads }) {
  const isScaled = regime === "scaled" ? 1 : 0;
  if (lab.jacobian_begin(BigInt(seed), isScaled, n, d_k, exponent, heads)) throw new Error("no memory for these heads");
  let isPredicted = false;
  const part = (N) => {
    const at = lab.jacobian_grow(N);
    if (!at) throw new Error("these heads could not be drawn");
    const [trace, trace_se, frobenius2, frobenius2_se, spectral2, spectral2_se, entropy, entropy_se, squares, squares_se,
      E_trace, E_trace_se, E_frobenius2, E_frobenius2_se] = lab.doubles(at, 14);
    return { N, trace, trace_se, frobenius2, frobenius2_se, spectral2, spectral2_se, entropy, entropy_se, squares, squares_se,
      theory: isPredicted ? { trace: E_trace, trace_se: E_trace_se, frobenius2: E_frobenius2, frobenius2_se: E_frobenius2_se } : null,
      lines: lab.text(lab.jacobian_lines()) };
  };
  // A part is some 10 ms of work.
  let step = 32;
  for (let N = Math.min(step, heads); N < heads; N += step) {
    const begun = performance.now();
    yield part(N);
    if (performance.now() - begun < 10) step *= 2;
    if (isPredicted) continue;
    if (lab.jacobian_predict()) throw new Error("no prediction for these heads");
    isPredicted = true;
  }
  if (!isPredicted && lab.jacobian_predict()) throw new Error("no prediction for these heads");
  isPredicted = true;
  return part(heads);
}
