// The committed page is made from the present sources, and what its module
// prints and writes is what the programs print and write, byte for byte.
import test from "node:test";
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { bytes, folder, html, root } from "./page.js";
import { compile, instantiate, run } from "../page/module.js";
import { grow } from "../panels/score_spread.jobs.js";

const module = await compile(bytes);
const seeds = ["1", "7", "18446744073709551615"];

test("the committed page was made from the present sources", () => {
  const now = execFileSync(path.join(root, "lab/digest.sh"), { encoding: "utf8" }).trim();
  const then = html.match(/<meta name="sources" content="([^"]*)">/)[1];
  assert.equal(then, now, "results/lab.html is out of date: make setup-lab lab");
});

// Every program, short enough for a test.
const runs = [
  ["attention_cost", "--tokens 48 --long 64 --head-size 12"],
  ["born_saturated", "--trials 120 --keys 9 --head-size 40"],
  ["head_training", "--trials 2 --tuning 1 --followed 1 --steps 30 --head-size 12 --vocabulary 9 --tokens 5 --batch 7"],
  ["lookup_table", "--keys 3,8 --trials 3"],
  ["lookup_table", "--weights docs/examples/lookup_wrong.txt"],
  ["permutation_equivariance", "--tokens 24 --trials 7"],
  ["permutation_equivariance", "--input docs/examples/shift_wrong.txt"],
  ["position_encoding", "--tokens 17 --head-size 6 --trials 4"],
  ["receptive_field", "--taps 5 --layers 12 --tokens 90 --trials 9"],
  ["saturated_gradient", "--trials 100 --head-size 70"],
  ["score_spread", ""],
  ["score_spread", "--pairs 300 --entries laplace"],
  ["score_spread", "--pairs 1000 --variance 1.2 --entries student8"],
  ["score_spread", "--pairs 777 --correlation -0.35 --head-sizes 5,33,600"],
  ["score_spread", "--pairs 64 --entries rademacher --head-sizes 1"],
  ["softmax_jacobian", "--trials 300 --keys 7 --head-size 33"],
  ["worked_example", "--trials 20"],
  ["worked_example", "--input docs/examples/own_numbers.txt"],
  // What is refused is refused in the same words.
  ["score_spread", "--pairs 0"],
  ["score_spread", "--correlation 0.2 --entries laplace"],
  ["worked_example", "--input no-such-file"],
  ["worked_example", "--version"],
];

const programs = readdirSync(path.join(root, "experiments")).filter((name) => name.endsWith(".c"))
  .map((name) => name.slice(0, -2));

test("every program is run", () => {
  assert.ok(programs.length > 0);
  assert.deepEqual([...new Set(runs.map(([stem]) => stem))], programs);
});

// What depends on the clock stands after this line, and in a file of its own.
const untimed = (text) => text.split("timed in")[0];

for (const [stem, options] of runs)
  test(`${stem} ${options}: the same bytes as on the terminal`, async (t) => {
    const asked = options.split(" ").filter(Boolean);
    const files = Object.fromEntries(asked.filter((word) => existsSync(path.join(root, word)) && word.includes("/"))
      .map((word) => [word, readFileSync(path.join(root, word), "utf8")]));
    for (const seed of seeds) {
      const out = folder(t);
      const words = [`bin/${stem}`, "--seed", seed, "--out", out, ...asked];
      const its = spawnSync(words[0], words.slice(1), { cwd: root, encoding: "utf8" });
      const mine = await run(module, words, { files });
      assert.equal(mine.stderr, its.stderr);
      assert.equal(untimed(mine.stdout), untimed(its.stdout));
      assert.equal(mine.status, its.status);
      assert.deepEqual(Object.keys(mine.files).sort(), readdirSync(out).map((name) => path.join(out, name)).sort());
      for (const [name, text] of Object.entries(mine.files))
        if (!name.endsWith(".timing.dat")) assert.equal(text, readFileSync(name, "utf8"));
      if (its.status !== 2 && !asked.includes("--version"))
        assert.ok(Object.keys(mine.files).length >= 2);
    }
  });

test("there is no program but the programs", async () => {
  assert.equal((await run(module, ["bin/ls"])).status, -1);
  assert.equal((await run(module, ["score_spread"])).status, -1);
});

// ---- score spread: what grows in the panel ----

const samples = [
  { d_k: 64, pairs: 5000, entries: "normal", variance: 1, correlation: 0 },
  { d_k: 8, pairs: 1000, entries: "rademacher", variance: 1, correlation: 0 },
  { d_k: 1, pairs: 200, entries: "rademacher", variance: 0.8, correlation: 0 },
  { d_k: 33, pairs: 500, entries: "uniform", variance: 1.2, correlation: 0 },
  { d_k: 512, pairs: 321, entries: "student8", variance: 0.25, correlation: 0 },
  { d_k: 16, pairs: 2000, entries: "normal", variance: 2, correlation: -0.35 },
];
const commandOf = ({ seed, d_k, pairs, entries, variance, correlation }) => ["bin/score_spread", "--seed", seed,
  "--head-sizes", `${d_k}`, "--pairs", `${pairs}`, "--entries", entries, "--variance", `${variance}`,
  "--correlation", `${correlation}`];

for (const sample of samples)
  test(`score spread grown to ${JSON.stringify(sample)} is the program's`, async (t) => {
    const lab = await instantiate(module);
    for (const seed of seeds) {
      const parts = [];
      const steps = grow(lab, { ...sample, seed, paced: true });
      for (;;) {
        const { value, done } = steps.next();
        parts.push(value);
        if (done) break;
      }
      assert.ok(parts.length > 1 || sample.pairs <= 64);
      assert.equal(parts.at(-1).N, sample.pairs);
      // The whole sample, and one on the way.
      for (const part of [parts.at(-1), parts[Math.floor(parts.length / 2)]]) {
        const out = folder(t);
        const words = [...commandOf({ ...sample, seed, pairs: part.N }), "--out", out];
        const its = spawnSync(words[0], words.slice(1), { cwd: root, encoding: "utf8" });
        const [names, values] = readFileSync(path.join(out, "score_spread.dat"), "utf8").split("\n")
          .filter((line) => !line.startsWith("#") && line).map((line) => line.trim().split(/\s+/));
        assert.deepEqual(part.row, Object.fromEntries(names.map((name, k) => [name, values[k]])));
        const lines = (text) => text.split("\n").map((line) => line.replace(/ +/g, " "));
        const printed = lines(its.stdout);
        const shown = lines(part.lines).filter(Boolean);
        assert.ok(shown.length >= 2);
        for (const line of shown) assert.ok(printed.includes(line), line);
      }
      // All scores but those of a last, shorter block are in the histogram.
      const counted = parts.at(-1).counts.reduce((sum, n) => sum + n, 0);
      const whole = sample.pairs - sample.pairs % 64;
      assert.ok(counted <= whole && counted >= 0.99 * whole, `${counted} of ${whole}`);
    }
  });

test("a sample that the program refuses is not drawn", async () => {
  const lab = await instantiate(module);
  assert.throws(() => grow(lab, { ...samples[0], seed: "1", entries: "laplace", correlation: 0.2 }).next(), /do not go together/);
});
