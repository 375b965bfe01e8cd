// Where is anything: its numbers beside the programs', and its words moved.
import test from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { bytes, folder, open, root, useBrowser } from "./page.js";
import { compile, instantiate } from "../page/module.js";
import { judge, measure, scores, sentences } from "../panels/where.jobs.js";

useBrowser(test);

const module = await compile(bytes);
const seeds = ["1", "7", "18446744073709551615"];
const lines = (text) => text.split("\n").map((line) => line.replace(/ +/g, " ")).filter(Boolean);

// A program's verdicts: lines as printed, numbers as in its file, by claim.
function native(t, stem, ...options) {
  const out = folder(t);
  const { stdout } = spawnSync(`bin/${stem}`, [...options, "--out", out], { cwd: root, encoding: "utf8" });
  const rows = readFileSync(path.join(out, `${stem}.claims.tsv`), "utf8").trimEnd().split("\n").slice(1)
    .map((row) => row.split("\t"));
  assert.ok(rows.length > 0);
  return { printed: lines(stdout), dat: readFileSync(path.join(out, `${stem}.dat`), "utf8"),
    measured: Object.fromEntries(rows.map(([id, , , measured]) => [id, Number(measured)])) };
}

function permutations(items) {
  if (items.length < 2) return [items];
  return items.flatMap((first, k) => permutations(items.filter((_, i) => i !== k)).map((rest) => [first, ...rest]));
}
const digits = (x) => Number(x.toPrecision(9)); // as many as the file has
const eps = 2 ** -52;

test("sentences give the program's numbers", async (t) => {
  const lab = await instantiate(module);
  for (const seed of seeds) {
    const its = native(t, "permutation_equivariance", "--seed", seed, "--tokens", "5", "--trials", "1");
    const of = (sentence, order, positions) => measure(lab, { seed, sentence, order, positions });
    const reversed = of("sets", [2, 1, 0], 0);
    assert.equal(digits(reversed.sets / reversed.value), its.measured["equivariance.sets"]);
    assert.equal(digits(reversed.apart / reversed.rms), its.measured["equivariance.sets/distinct"]);
    assert.equal(of("twins", [0, 1, 2, 3, 4], 0).apart, its.measured["position.breaks/twins_without"]);
    const placed = of("twins", [0, 1, 2, 3, 4], 1);
    assert.equal(digits(placed.apart / placed.rms), its.measured["position.breaks/twins"]);
    const all = permutations([0, 1, 2, 3, 4]).map((order) => of("all", order, 0));
    assert.equal(all.length, 120);
    assert.equal(digits(Math.max(...all.map(({ defect, value }) => defect / value)) / 5),
      its.measured["equivariance.permutation/all"]);
    for (const { id } of sentences) {
      const shown = lines(judge(lab, { seed, sentence: id }).next().value);
      assert.ok(shown.length >= 3);
      for (const line of shown) assert.ok(its.printed.includes(line), line);
    }
  }
});

test("outputs move with the words, and with positions they do not", async () => {
  const lab = await instantiate(module);
  for (const seed of seeds)
    for (const { id, words } of sentences)
      for (const order of permutations(words.map((_, k) => k))) {
        const moved = measure(lab, { seed, sentence: id, order, positions: 0 });
        assert.ok(moved.defect <= 2 * words.length * eps * moved.value);
        assert.ok(moved.sets <= moved.defect);
        order.forEach((word, place) => moved.after[place].forEach((x, c) =>
          assert.ok(Math.abs(x - moved.before[word][c]) <= moved.defect)));
        if (order.every((word, k) => word === k)) continue;
        const placed = measure(lab, { seed, sentence: id, order, positions: 1 });
        assert.ok(placed.defect > 0.1 * placed.rms);
      }
});

test("an order that is none is refused", async () => {
  const lab = await instantiate(module);
  for (const order of [[0, 0, 1], [1, 2, 3]])
    assert.throws(() => measure(lab, { seed: "1", sentence: "sets", order, positions: 0 }), /GSL status/);
});

test("scores by position are the program's", async (t) => {
  const lab = await instantiate(module);
  for (const seed of seeds)
    for (const [tokens, d_k] of [[24, 64], [8, 2], [17, 6]]) {
      const its = native(t, "position_encoding", "--seed", seed, "--tokens", `${tokens}`, "--head-size", `${d_k}`);
      const mine = scores(lab, { seed, tokens, d_k }).next().value;
      assert.deepEqual(lines(mine.lines), its.printed.filter((line) => !line.startsWith("wrote")));
      const rows = its.dat.split("\n").filter((line) => line && !line.startsWith("#")).map((line) => line.trim().split(/\s+/));
      assert.deepEqual(rows[0], ["i", "j", "rotary", "sinusoidal", "fresh"]);
      assert.equal(rows.length, 1 + tokens * tokens);
      ["rotary", "sinusoidal", "fresh"].forEach((name, k) =>
        assert.deepEqual([...mine[name]], rows.slice(1).map((row) => Number(row[2 + k]))));
    }
  assert.throws(() => scores(lab, { seed: "1", tokens: 8, d_k: 3 }).next(), /GSL status/);
});

// ---- in the page ----

const at = "#panel-where";
const sentence = (page) => page.evaluate((where) => [...document.querySelectorAll(`${where} .words > li`)]
  .sort((a, b) => getComputedStyle(a).getPropertyValue("--place") - getComputedStyle(b).getPropertyValue("--place"))
  .map((item) => item.querySelector("span").textContent).join(" "), at);
const said = (page, text) => page.waitForFunction(([where, part]) =>
  document.querySelector(`${where} [role=status]`).textContent.includes(part), [at, text]);
const difference = (page) => page.locator(`${at} .readout dt + dd`).first().textContent();

test("the keyboard moves a word, and what is read follows", async (t) => {
  const page = await open(t, "#where");
  await page.waitForSelector(`${at} .word`);
  assert.equal(await sentence(page), "dog bites man");
  await page.locator(`${at} .word`, { hasText: "dog" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await said(page, "bites man dog. Largest difference");
  assert.equal(await sentence(page), "bites man dog");
  // At rest the list is in that order too, and the focus is still on the word.
  await page.waitForFunction((where) =>
    [...document.querySelectorAll(`${where} .word`)].map((e) => e.ariaLabel).join() ===
    "bites, place 1 of 3,man, place 2 of 3,dog, place 3 of 3", at);
  assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), "dog, place 3 of 3");
  await page.keyboard.press("Home");
  await said(page, "dog bites man.");
  await page.keyboard.press("End");
  await page.waitForFunction(() => location.hash === "#where?order=120");
});

test("dragging moves a word; positions break what it showed", async (t) => {
  const page = await open(t, "#where", { reducedMotion: "no-preference" });
  await page.waitForSelector(`${at} .word`);
  const box = async (word) => (await page.locator(`${at} .word`, { hasText: word }).boundingBox());
  const [from, to] = [await box("dog"), await box("man")];
  await page.mouse.move(from.x + from.width / 2, from.y + 20);
  await page.mouse.down();
  for (let k = 1; k <= 10; k++) await page.mouse.move(from.x + from.width / 2 + (to.x - from.x) * k / 10, from.y + 20);
  await page.mouse.up();
  await said(page, "bites man dog.");
  assert.match(await difference(page), /10⁻/);
  await page.locator(`${at} .toggle input`).check();
  await said(page, "with positions");
  assert.ok(Number(await difference(page)) > 0.1);
  assert.equal(await page.locator(`${at} .links path.shaken`).count(), 3);
});

test("a finger drags a word", async (t) => {
  const page = await open(t, "#where", { viewport: { width: 360, height: 740 } });
  await page.waitForSelector(`${at} .word`);
  const client = await page.context().newCDPSession(page);
  await client.send("Emulation.setTouchEmulationEnabled", { enabled: true });
  const { x, y, width } = await page.locator(`${at} .word`, { hasText: "man" }).boundingBox();
  const touch = (type, to) => client.send("Input.dispatchTouchEvent",
    { type, touchPoints: to === undefined ? [] : [{ x: to, y: y + 15 }] });
  await touch("touchStart", x + width / 2);
  for (let k = 1; k <= 10; k++) await touch("touchMove", x + width / 2 - 2 * width * k / 10);
  await touch("touchEnd");
  await said(page, "man dog bites.");
});

test("a link restores sentence, order, positions and map", async (t) => {
  const page = await open(t, "#where?sentence=twins&order=41230&positions=1&map=fresh");
  await page.waitForSelector(`${at} .word`);
  assert.equal(await sentence(page), "man dog bites the the");
  assert.ok(await page.locator(`${at} .toggle input`).isChecked());
  await page.waitForFunction((where) => /fresh query and key/.test(document.querySelector(`${where} .map`)
    .closest("svg").querySelector("title").textContent), at);
  await page.evaluate(() => { location.hash = "#where?sentence=sets&order=99"; });
  await page.waitForFunction((where) => document.querySelectorAll(`${where} .word`).length === 3, at);
  assert.equal(await sentence(page), "dog bites man");
});
