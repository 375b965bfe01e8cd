// Frozen head: what is trained step by step beside the program's, and started,
// stopped and stepped in the page.
import test from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { bytes, folder, open, root, useBrowser } from "./page.js";
import { compile, instantiate } from "../page/module.js";
import { shown, train } from "../panels/head_training.jobs.js";

useBrowser(test);

const module = await compile(bytes);
const lines = (text) => text.split("\n").map((line) => line.replace(/ +/g, " ")).filter(Boolean);

// Rows of numbers by block, words as they are written. Blocks of a file have
// names; two blank lines are between them.
const blocks = (text) => text.split("\n\n\n").map((block) => block.split("\n"))
  .map((all) => ({ name: all.findLast((line) => /^# [a-z-]+$/.test(line))?.slice(2),
    rows: all.filter((line) => line && !line.startsWith("#")).map((line) => line.trim().split(/\s+/)) }));
const block = (text, name) => blocks(text).find((each) => each.name === name).rows;
// What is recorded here has no names, so they go by the program's order.
const order = ["scaled", "unscaled", "unscaled-longer", "born-unscaled", "born-scaled", "regimes"];
const recorded = (text, name) => blocks(text)[order.indexOf(name)].rows;

function native(t, { seed, d_k, heads, steps }) {
  const out = folder(t);
  const { stdout } = spawnSync("bin/head_training", ["--seed", seed, "--head-size", `${d_k}`, "--trials", `${heads}`,
    "--followed", "1", "--tuning", "1", "--steps", `${steps}`, "--out", out], { cwd: root, encoding: "utf8" });
  return { printed: lines(stdout), dat: readFileSync(path.join(out, "head_training.dat"), "utf8") };
}

// A job to its end, or until there have been so many parts.
function run(lab, args, most = Infinity) {
  const parts = [];
  for (const job = train(lab, args); parts.length < most;) {
    const { value, done } = job.next();
    parts.push(value);
    if (done) break;
  }
  return parts;
}
const end = (lab, args) => run(lab, args).at(-1);
const digits = (x) => Number(x.toPrecision(9)); // as many as the file has

const options = [
  { seed: "1", d_k: 16, heads: 2, steps: 30 },
  { seed: "7", d_k: 4, heads: 3, steps: 25 },
  { seed: "18446744073709551615", d_k: 64, heads: 4, steps: 12 },
  { seed: "7", d_k: 256, heads: 2, steps: 15 },
];
for (const args of options)
  test(`heads of ${JSON.stringify(args)} are the program's`, async (t) => {
    const its = native(t, args);
    const lab = await instantiate(module);
    const birth = end(lab, { ...args, to: 0 });
    const last = end(lab, { ...args, to: args.steps });

    // Rates, and the tuning that chose them.
    assert.deepEqual(blocks(last.grid)[0].rows, block(its.dat, "grid"));
    const curves = { unscaled: block(its.dat, "unscaled"), scaled: block(its.dat, "scaled") };
    const names = curves.scaled[0];
    assert.equal(Number(curves.scaled.at(-1)[0]), args.steps);

    // Verdicts after the last step; all but those of heads followed longer and
    // of values.
    const verdicts = lines(last.lines);
    assert.equal(verdicts.length, 17);
    for (const line of verdicts) assert.ok(its.printed.includes(line), line);
    for (const line of its.printed)
      assert.ok(verdicts.includes(line) || /^wrote|\/(longer|values|values_loss) /.test(line), line);
    // Whole blocks of the file: curves, births, regimes.
    for (const name of ["scaled", "unscaled", "born-unscaled", "born-scaled", "regimes"])
      assert.deepEqual(recorded(last.rows, name), block(its.dat, name), name);

    // At every step at which the program judges: what is drawn is what it writes.
    assert.equal(last.history.length, args.steps + 1);
    ["unscaled", "scaled"].forEach((regime, scaled) => {
      const rows = curves[regime].slice(1);
      assert.ok(rows.length > 8);
      for (const row of rows)
        for (const key of ["accuracy", "loss", "wrong"])
          assert.ok(Math.abs(last.history[Number(row[0])][scaled][key] - Number(row[names.indexOf(key)])) <=
            1e-8 * Number(row[names.indexOf(key)]), `${regime} ${key} ${row}`);
    });
    const [columns, ...regimes] = block(its.dat, "regimes");
    assert.equal(regimes.length, 2);
    for (const [key, name] of [["dsMean", "ds_mean"], ["dsMedian", "ds_median"], ["dWQMean", "dW_Q_mean"],
      ["dWQMedian", "dW_Q_median"], ["sure", "sure"], ["wrong", "wrong"]])
      regimes.forEach((row, scaled) => assert.ok(
        Math.abs(birth.history[0][scaled][key] - Number(row[columns.indexOf(name)])) <= 1e-8 * Number(row[columns.indexOf(name)]), name));
    assert.deepEqual(last.rates.map(digits), regimes.map((row) => Number(row[columns.indexOf("rate")])));

    // Weights: of each query they sum to 1.
    for (const weights of last.weights)
      for (let i = 0; i < shown; i++)
        assert.ok(Math.abs(weights.slice(i * shown, (i + 1) * shown).reduce((sum, a) => sum + a) - 1) < 1e-12);
  });

test("on the way, the curves are the first rows of the program's", async (t) => {
  const args = options[0];
  const its = native(t, args);
  const lab = await instantiate(module);
  for (const to of [0, 1, 8, 20])
    for (const name of ["scaled", "unscaled"]) {
      const rows = recorded(end(lab, { ...args, to }).rows, name);
      assert.equal(Number(rows.at(-1)[0]), to);
      assert.deepEqual(rows, block(its.dat, name).slice(0, rows.length));
    }
});

test("stopped anywhere and started again, back to birth, other heads between: the same", async () => {
  const args = { ...options[1], paced: true };
  const whole = end(await instantiate(module), { ...args, paced: false, to: 25 });
  const lab = await instantiate(module);
  for (const [most, to] of [[1, 25], [3, 0], [40, 25], [7, 2], [Infinity, 9], [4, 25], [Infinity, 25]]) run(lab, { ...args, to }, most);
  run(lab, { ...args, seed: "8", to: 3 }, 60);
  const parts = run(lab, { ...args, to: 25 });
  assert.deepEqual(parts.filter((part) => part.history).flatMap((part) => part.history), whole.history);
  assert.deepEqual(parts.at(-1).lines, whole.lines);
  assert.deepEqual(end(lab, { ...args, to: 5, paced: false }).history, whole.history.slice(0, 6));
});

test("more heads than there is room for are refused", async () => {
  const lab = await instantiate(module);
  assert.throws(() => run(lab, { ...options[0], heads: 5, to: 0 }), /GSL status/);
});

// ---- in the page ----

const at = "#panel-head_training";
const small = "d_k=16&steps=30";
const after = (page, step) => page.waitForFunction(([where, words]) =>
  document.querySelector(`${where} .numbers caption`).textContent === words, [at, `After ${step} steps`]);
const button = (page, name) => page.locator(`${at} .controls button`, { hasText: name });

test("started and stopped by the keyboard, the heads learn while one looks", async (t) => {
  const page = await open(t, `#head_training?${small}`, { reducedMotion: "no-preference" });
  await after(page, 0);
  await page.evaluate((where) => {
    window.steps = new Set();
    const of = document.querySelector(`${where} .numbers caption`);
    new MutationObserver(() => window.steps.add(of.textContent)).observe(of, { childList: true, characterData: true, subtree: true });
  }, at);
  await button(page, "Start").focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.steps.size > 3);
  await page.keyboard.press("Enter"); // now it says Pause
  await button(page, "One step").waitFor();
  await page.waitForFunction((where) => /Paused/.test(document.querySelector(`${where} [role=status]`).textContent), at);
  const paused = Number((await page.locator(`${at} .numbers caption`).textContent()).match(/\d+/)[0]);
  assert.ok(paused > 0 && paused < 30);
  await button(page, "One step").click();
  await after(page, paused + 1);
  await page.waitForFunction((step) => location.hash.endsWith(`step=${step}`), paused + 1);
  await button(page, "Start").click();
  await after(page, 30);
  assert.ok(await button(page, "Start").isDisabled());
  await page.waitForFunction((where) => /After 30 steps/.test(document.querySelector(`${where} [role=status]`).textContent), at);
  await button(page, "Back to birth").click();
  await after(page, 0);
});

test("where motion is unwanted, a start shows the end alone", async (t) => {
  const page = await open(t, `#head_training?${small}`);
  await after(page, 0);
  await page.evaluate((where) => {
    window.steps = new Set();
    const of = document.querySelector(`${where} .numbers caption`);
    new MutationObserver(() => window.steps.add(of.textContent)).observe(of, { childList: true, characterData: true, subtree: true });
  }, at);
  await button(page, "Start").click();
  await after(page, 30);
  assert.deepEqual(await page.evaluate(() => [...window.steps]), ["After 30 steps"]);
});

test("a link to a step shows the program's numbers there", async (t) => {
  const page = await open(t, `#head_training?seed=7&${small}&heads=3&step=20`);
  await after(page, 20);
  const { dat } = native(t, { seed: "7", d_k: 16, heads: 3, steps: 30 });
  const cells = await page.locator(`${at} .numbers tbody td`).allTextContents();
  ["unscaled", "scaled"].forEach((regime, scaled) => {
    const [names, ...rows] = block(dat, regime);
    const row = rows.find((each) => each[0] === "20");
    assert.deepEqual([0, 1].map((k) => cells[2 * k + scaled]),
      ["accuracy", "loss"].map((name) => String(Number(Number(row[names.indexOf(name)]).toPrecision(4)))));
  });
  assert.match(await page.locator(`${at} .verdicts pre`).textContent(), /train\.gradient\/median_ratio/);
});
