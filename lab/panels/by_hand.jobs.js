// By hand, in the worker: a dictionary of the seed, over all gaps.

export function* dictionary(lab, { seed, n }) {
  if (lab.lookup_draw(BigInt(seed), n)) throw new Error("no such dictionary");
  const points = Array.from({ length: lab.lookup_gaps() }, (_, i) => {
    const [rest, stair, off, trace, frobenius] = lab.doubles(lab.lookup_point(i), 5);
    return { b: lab.lookup_gap(i), rest, stair, off, trace, frobenius };
  });
  return { n, points, one: lab.lookup_one(n), zero: lab.lookup_zero(n) };
}

// ---- the worked example as one word of a link, and as a file ----

// "hungry 2 0*the -1 0_0 0*cat 2 0_1 0": the query, then each key and its value.
export function parse(word) {
  const [query, ...keys] = word.split("*").map((row) => {
    const [left, value] = row.split("_");
    const [name, ...numbers] = left.split(" ");
    return { name, numbers, value: value?.split(" ") };
  });
  return { query, keys };
}
export const compose = ({ query, keys }) => [query, ...keys].map(({ name, numbers, value }) =>
  [name, ...numbers].join(" ") + (value ? `_${value.join(" ")}` : "")).join("*");

export const limits = { keys: 8, d_k: 6, d_v: 3 };
export const isName = (word) => /^[\p{L}\p{N}'’-]{1,12}$/u.test(word);
export const isNumber = (word) => /^-?(0|[1-9]\d{0,2})(\.\d{1,4})?$/.test(word);

// All of its rows as long as they have to be, zeros where there were none; null
// where it is no example.
export function fit(word, d_k, d_v) {
  const { query, keys } = parse(word);
  const isRow = ({ name, numbers, value }) => isName(name) && numbers.every(isNumber) && (!value || value.every(isNumber));
  if (keys.length < 1 || keys.length > limits.keys || query.value || !keys.every((key) => key.value) || ![query, ...keys].every(isRow))
    return null;
  const resize = (numbers, n) => Array.from({ length: n }, (_, k) => numbers[k] ?? "0");
  return compose({ query: { ...query, numbers: resize(query.numbers, d_k) },
    keys: keys.map((key) => ({ ...key, numbers: resize(key.numbers, d_k), value: resize(key.value, d_v) })) });
}

// As --input reads it.
export function fileOf({ example, scale }) {
  const { query, keys } = parse(example);
  return `query ${query.name} = ${query.numbers.join(" ")}\n` + keys.map(({ name, numbers, value }) =>
    `key ${name} = ${numbers.join(" ")}\nvalue ${name} = ${value.join(" ")}\n`).join("") +
    (scale === "root" ? "" : `scale = ${scale}\n`);
}

// What the program prints of its moves, by the move: what is done, and a line
// for each word, [left side, working, result].
export function movesOf(text) {
  return text.split("\n\n").slice(1).filter(Boolean).map((block) => {
    const lines = block.split("\n").filter(Boolean);
    const title = lines.filter((line, k) => k === 0 || line.startsWith("   ")).map((line) => line.trim()).join(" ");
    return { title, lines: lines.filter((line, k) => k > 0 && !line.startsWith("   ")).map((line) => {
      const [left, ...rest] = line.trim().split(/\s+=\s+/);
      return rest.length ? { left, working: rest.slice(0, -1).join(" = "), result: rest.at(-1) } : { left: "", working: "", result: left };
    }) };
  });
}
