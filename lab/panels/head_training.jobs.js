// Frozen head, in the worker: rates are chosen, then heads are trained.

export const shown = 16; // sequences whose weights are seen, and tokens of one

const names = ["accuracy", "loss", "sure", "wrong", "dsMean", "dsMedian", "dWQMean", "dWQMedian"];

function check(status) {
  if (status) throw new Error(`GSL status ${status}`);
}

// What an instance of the module stands at.
const stands = new WeakMap();

// Both regimes, without the division and with it.
function stateOf(lab, heads) {
  const at = lab.heads_now();
  if (!at) throw new Error("no memory");
  const numbers = lab.doubles(at, 2 * names.length);
  return [0, 1].map((scaled) => Object.fromEntries(names.map((name, k) => [name, numbers[scaled * names.length + k]])));
}
const weightsOf = (lab) => [0, 1].map((scaled) => lab.doubles(lab.heads_weights(scaled), shown * shown).slice());

// Some 10 ms of work, then a breath.
function breath() {
  let begun = performance.now();
  return () => {
    if (performance.now() - begun < 10) return false;
    begun = performance.now();
    return true;
  };
}

// The program's tuning, from where it was left.
function* tune(lab, at, { steps }, isDue) {
  const count = lab.heads_count();
  for (; at.run < count; at.run++, at.step = 0) {
    for (; at.step <= steps; at.step++) { // born, then so many steps
      if (isDue()) yield { tuned: (at.run + at.step / steps) / count };
      check(lab.heads_step(at.run));
    }
    lab.heads_drop(at.run);
  }
  check(lab.heads_choose());
  at.tuning = { rates: [...lab.doubles(lab.heads_rates(), 2)], grid: lab.text(lab.heads_grid()) };
}

// All heads born, or one step on; then everything that the page shows of them.
function* advance(lab, at, { heads }, isDue) {
  for (; at.moved < 2 * heads; at.moved++) {
    if (isDue()) yield {};
    check(lab.heads_step(at.moved));
  }
  for (let i = 0; i < 2 * heads; i++) {
    if (isDue()) yield {};
    check(lab.heads_look(i));
  }
  at.moved = 0;
  at.history.push(stateOf(lab));
  at.weights = weightsOf(lab);
  if (lab.heads_is_judged()) {
    check(lab.heads_record());
    // Nobody was followed any longer than the others here.
    at.lines = lab.text(lab.heads_lines()).replace(/^train\.frozen\/longer .*\n/m, "");
    at.rows = lab.text(lab.heads_rows());
  }
}

// To step args.to: from where these heads stand, or from their birth. A job that
// is cancelled leaves them between two steps. Parts: {tuned: share}, {share} on
// the way, {history, ...} after each step if paced; the last has all.
export function* train(lab, args) {
  const { seed, d_k, heads, steps, to, paced } = args;
  const key = JSON.stringify([seed, d_k, heads, steps]);
  const isDue = breath();
  let at = stands.get(lab);
  if (at?.key !== key) {
    stands.delete(lab);
    check(lab.heads_begin(BigInt(seed), d_k, heads, steps));
    at = { key, run: 0, step: 0 };
    stands.set(lab, at);
  }
  if (!at.tuning) yield* tune(lab, at, args, isDue);
  if (!at.history || at.history.length > to + 1) {
    check(lab.heads_reset());
    Object.assign(at, { history: [], moved: 0 });
  }
  const result = (from) => ({ ...at.tuning, from, history: at.history.slice(from), weights: at.weights, lines: at.lines,
    rows: at.rows });
  let sent = 0;
  while (at.history.length <= to) {
    const begun = performance.now();
    for (const part of advance(lab, at, args, isDue)) yield { ...part, share: at.history.length / (to + 1) };
    if (!paced) continue;
    yield { ...result(sent), pause: Math.max(1, 40 - (performance.now() - begun)) };
    sent = at.history.length;
  }
  return result(sent);
}
