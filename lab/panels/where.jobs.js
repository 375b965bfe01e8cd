// Where is anything, in the worker: what the two programs say.

// Sentences whose tokens the program draws, in the order of
// lab/c/permutation_equivariance.c, and the words that they are here.
export const sentences = [
  { id: "sets", words: ["dog", "bites", "man"] },
  { id: "twins", words: ["the", "dog", "bites", "the", "man"] },
  { id: "all", words: ["a", "dog", "bites", "the", "man"] },
];
export const sentenceOf = (id) => sentences.find((each) => each.id === id);

const sizes = { tokens: 24, outputs: 21, most: 5 };

// f(X) and f(P X) of a sentence with its words in this order.
export function measure(lab, { seed, sentence, order, positions }) {
  const which = sentences.findIndex((each) => each.id === sentence);
  lab.words(lab.sentence_order(), order.length).set(order);
  const status = lab.sentence_measure(BigInt(seed), which, positions);
  if (status) throw new Error(`GSL status ${status}`);
  let at = lab.sentence_seen();
  const take = (n) => { at += 8 * n; return lab.doubles(at - 8 * n, n).slice(); };
  const [defect, sets, apart, value, rms] = take(5);
  const rows = (width) => {
    const all = take(sizes.most * width);
    return order.map((_, i) => all.subarray(i * width, (i + 1) * width));
  };
  return { defect, sets, apart, value, rms, tokens: rows(sizes.tokens), positions: rows(sizes.tokens),
    before: rows(sizes.outputs), after: rows(sizes.outputs) };
}

// The program's verdicts on a sentence.
export function* judge(lab, { seed, sentence }) {
  return lab.text(lab.sentence_lines(BigInt(seed), sentences.findIndex((each) => each.id === sentence)));
}

// Three score matrices, and the verdicts on them.
export function* scores(lab, { seed, tokens, d_k }) {
  const status = lab.positions_measure(BigInt(seed), tokens, d_k);
  if (status) throw new Error(`GSL status ${status}`);
  const [names, ...rows] = lab.text(lab.positions_rows()).split("\n").filter((line) => line && !line.startsWith("#"))
    .map((line) => line.trim().split(/\s+/));
  const column = (name) => Float64Array.from(rows, (row) => row[names.indexOf(name)]);
  return { tokens, d_k, rotary: column("rotary"), sinusoidal: column("sinusoidal"), fresh: column("fresh"),
    lines: lab.text(lab.positions_lines()) };
}
