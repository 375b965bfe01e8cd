// Softmax under pressure: its numbers beside the programs', and the panel moved.
import test from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { bytes, folder, open, root, useBrowser } from "./page.js";
import { compile, instantiate } from "../page/module.js";
import { curve, grow } from "../panels/softmax_jacobian.jobs.js";

useBrowser(test);

const module = await compile(bytes);
const seeds = ["1", "7", "18446744073709551615"];
const regimes = ["unscaled", "scaled"];
const exponents = { unscaled: 0, scaled: -0.5 };

// A block of what a program writes: its rows by the names of their columns.
function block(text, name) {
  const lines = text.split("\n");
  const rows = lines.slice(lines.indexOf(`# ${name}`)).join("\n").split("\n\n\n")[0].split("\n")
    .filter((each) => each && !each.startsWith("#")).map((each) => each.trim().split(/\s+/));
  return rows.slice(1).map((row) => Object.fromEntries(rows[0].map((column, k) => [column, row[k]])));
}
function program(t, stem, options) {
  const out = folder(t);
  const { stdout } = spawnSync(`bin/${stem}`, [...options, "--out", out], { cwd: root, encoding: "utf8" });
  return { stdout, dat: readFileSync(path.join(out, `${stem}.dat`), "utf8") };
}
const printed = (x) => Number(x.toPrecision(9));
const equal = (mine, its, what) => assert.equal(printed(mine), Number(its), what);
const squeezed = (text) => text.split("\n").map((each) => each.replace(/ +/g, " "));

for (const { n, d_k, heads, some } of [{ n: 9, d_k: 40, heads: 500, some: seeds }, { n: 16, d_k: 256, heads: 100, some: ["7"] },
  { n: 2, d_k: 1, heads: 33, some: ["3"] }, { n: 64, d_k: 1024, heads: 32, some: ["5"] }])
  test(`${heads} heads of ${n} keys and size ${d_k}: the program's, and the first of them alone`, async (t) => {
    const lab = await instantiate(module);
    for (const seed of some) {
      const options = (trials) => ["--seed", seed, "--keys", `${n}`, "--head-size", `${d_k}`, "--trials", `${trials}`];
      const [all, one] = [program(t, "softmax_jacobian", options(heads)), program(t, "softmax_jacobian", options(1))];
      const [rows, alone] = [block(all.dat, "regimes"), block(one.dat, "regimes")];
      assert.equal(rows.length, 2);
      for (const [k, regime] of regimes.entries()) {
        let last, parts = 0;
        const steps = grow(lab, { seed, regime, n, d_k, exponent: exponents[regime], heads });
        do { last = steps.next(); parts++; } while (!last.done);
        assert.ok(parts > 1 || heads <= 32);
        const { N, trace, frobenius2, theory, lines } = last.value;
        assert.equal(N, heads);
        equal(trace, rows[k].trace, "trace");
        equal(frobenius2, rows[k].frobenius2, "frobenius2");
        equal(theory.trace, rows[k].trace_predicted, "trace_predicted");
        equal(theory.trace_se, rows[k].trace_se, "trace_se");
        equal(theory.frobenius2, rows[k].frobenius2_predicted, "frobenius2_predicted");
        equal(theory.frobenius2_se, rows[k].frobenius2_se, "frobenius2_se");
        const shown = squeezed(lines).filter(Boolean), its = squeezed(all.stdout);
        assert.ok(shown.length >= 5);
        for (const each of shown) assert.ok(its.includes(each), each);

        assert.equal(lab.jacobian_draw(BigInt(seed), k, n, d_k), 0);
        const [, its_trace, frobenius] = lab.doubles(lab.jacobian_head(lab.jacobian_multiplier(d_k, exponents[regime])), 3);
        equal(its_trace, alone[k].trace, "one trace");
        equal(frobenius * frobenius, alone[k].frobenius2, "one frobenius2");
      }
    }
  });

test("a mean that is grown passes through the means of smaller samples", async () => {
  const lab = await instantiate(module);
  const asked = { seed: "7", regime: "unscaled", n: 12, d_k: 20, exponent: -0.3 };
  const parts = [...grow(lab, { ...asked, heads: 3000 })];
  assert.ok(parts.length > 2);
  const { N, trace, spectral2, entropy } = parts[1];
  const steps = grow(lab, { ...asked, heads: N });
  let last;
  do last = steps.next(); while (!last.done);
  assert.deepEqual([last.value.trace, last.value.spectral2, last.value.entropy], [trace, spectral2, entropy]);
  // The program judges its own two multipliers.
  assert.equal(last.value.lines, "");
});

test("a head is a distribution, and its norms are those of its Jacobian", async () => {
  const lab = await instantiate(module);
  let cases = 0;
  for (const [n, d_k] of [[2, 1], [7, 33], [64, 16]])
    for (const exponent of [-1, -0.5, -0.2, 0, 0.1]) {
      lab.jacobian_draw(7n, 1, n, d_k);
      const all = lab.doubles(lab.jacobian_head(lab.jacobian_multiplier(d_k, exponent)), 8 + 2 * n + n * n).slice();
      const [, trace, frobenius, spectral, entropy, largest, rest, squares] = all;
      const a = [...all.slice(8 + n, 8 + 2 * n)], J = all.slice(8 + 2 * n);
      const near = (x, y) => assert.ok(Math.abs(x - y) <= 1e-13, `${x} and ${y}`);
      const sum = (values) => values.reduce((total, x) => total + x, 0);
      near(sum(a), 1);
      near(trace, sum(a.map((x, j) => J[j * n + j])));
      near(frobenius, Math.hypot(...J));
      near(squares, sum(a.map((x) => x * x)));
      near(largest + rest, 1);
      near(entropy, -sum(a.map((x) => x > 0 ? x * Math.log(x) : 0)));
      assert.ok(spectral <= frobenius * (1 + 1e-12) && frobenius <= trace * (1 + 1e-12));
      cases++;
    }
  assert.equal(cases, 15);
});

test("the exact curves are the program's", async (t) => {
  const lab = await instantiate(module);
  const { dat } = program(t, "born_saturated", ["--seed", "7", "--trials", "20"]);
  const rows = block(dat, "curves");
  assert.equal(rows.length, 61);
  for (const n of [16, 64, 1024]) {
    for (const [i, row] of rows.entries()) {
      const [sigma, squares, trace] = lab.doubles(lab.freezing_point(n, i), 3);
      equal(sigma, row.sigma, "sigma");
      equal(squares, row[`n${n}`], `n${n}`);
      assert.ok(Math.abs(trace + squares - 1) < 1e-9);
    }
    const map = block(dat, "map").find((row) => Number(row.n) === n);
    equal(lab.freezing_sigma(n), map.sigma_c, "sigma_c");
  }
  equal(lab.freezing_largest(16), block(dat, "law")[0].limit, "limit");
  const steps = curve(lab, { n: 16 });
  let last;
  do last = steps.next(); while (!last.done);
  assert.ok(last.value.isWhole && last.value.points.length > 30);
  assert.ok(last.value.points.every((p, k, all) => k === 0 || (p.sigma > all[k - 1].sigma && p.squares >= all[k - 1].squares)));
});

const cell = (page, row, column) => page.locator(`.readings tbody tr:nth-child(${row}) td:nth-of-type(${column})`).textContent();
const number = (text) => Number(text.replace(/\s·\s10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)/, (_, power) => "e" + [...power].map((c) => c === "⁻" ? "-" : "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c)).join("")));

test("the panel shows the program's numbers, dead or alive, and moves by the keyboard", async (t) => {
  const page = await open(t, "#softmax_jacobian?seed=7&keys=9&d_k=64&heads=1&regime=unscaled");
  const { dat } = program(t, "softmax_jacobian", "--seed 7 --keys 9 --head-size 64 --trials 1".split(" "));
  const [unscaled] = block(dat, "regimes");
  await page.waitForFunction(() => document.querySelector(".readings .many").textContent === "1 head");
  const before = await cell(page, 1, 1);
  // Ten steps right: from 1/sqrt(d_k) to 1, where the program has its numbers.
  await page.locator("#softmax_jacobian-exponent").focus();
  for (let k = 0; k < 10; k++) await page.keyboard.press("ArrowRight");
  await page.waitForFunction((text) => document.querySelector(".readings tbody td").textContent !== text, before);
  await page.waitForFunction(() => /demo\.trace\/unscaled/.test(document.querySelector("#panel-softmax_jacobian .verdicts pre").textContent));
  assert.equal(number(await cell(page, 1, 1)), Number(Number(unscaled.trace).toPrecision(4)));
  assert.equal(number(await cell(page, 1, 2)), Number(Number(unscaled.trace).toPrecision(4)));
  assert.equal(number(await cell(page, 1, 3)), Number(Number(unscaled.trace_predicted).toPrecision(4)));
  assert.equal(number(await cell(page, 2, 1)), Number(Math.sqrt(unscaled.frobenius2).toPrecision(4)));
  await page.waitForFunction(() => location.hash.includes("exponent=0"));
  // It says so once it has come to rest.
  await page.waitForFunction(() => /Multiplier 1: largest weight/.test(document.querySelector("#panel-softmax_jacobian [role=status]").textContent));
  // One pixel an entry of the Jacobian, blue on the diagonal and orange beside it.
  const drawn = await page.locator("#panel-softmax_jacobian image.map").evaluate(async (image) => {
    const picture = new Image(), canvas = document.createElement("canvas"), context = canvas.getContext("2d");
    picture.src = image.getAttribute("href");
    await picture.decode();
    canvas.width = canvas.height = picture.width;
    context.drawImage(picture, 0, 0);
    return { size: picture.width, data: [...context.getImageData(0, 0, picture.width, picture.width).data] };
  });
  assert.equal(drawn.size, 9);
  const strongest = drawn.data.filter((_, k) => k % 4 === 3).indexOf(Math.max(...drawn.data.filter((_, k) => k % 4 === 3)));
  assert.equal(strongest % 10, 0);
});

test("between the two multipliers the panel does not print what no program prints", async (t) => {
  const page = await open(t, "#softmax_jacobian?exponent=-0.25&heads=10");
  await page.waitForFunction(() => document.querySelector(".readings .many").textContent === "10 heads");
  await page.waitForFunction(() => /judges these heads at the multiplier/.test(document.querySelector("#panel-softmax_jacobian .verdicts pre").textContent));
  assert.equal(await page.locator("#panel-softmax_jacobian .badges li").count(), 0);
});
