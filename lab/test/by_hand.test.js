// By hand: its moves and its lookup table beside the programs', and the panel
// moved.
import test from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { bytes, folder, open, phone, root, useBrowser } from "./page.js";
import { compile, instantiate } from "../page/module.js";
import panel from "../panels/by_hand.js";
import { dictionary, fileOf, fit, movesOf, parse } from "../panels/by_hand.jobs.js";

useBrowser(test);

const module = await compile(bytes);

const examples = [
  panel.defaults,
  { example: "who 1 -2 0.5*the 0.5 1 0_1*dog 2 -1 1_5*saw -1 0 3_-2*the 0.5 1 0_1*cat 1.5 -1.25 0_4", scale: "1" },
  { example: "x 999*a 999_1 2 3*b -999_-1 -2 -3*c 998.5_0.125 0 7", scale: "10" },
  { example: "ärger 3*l’été 0_0 1", scale: "root" },
  { example: `q 0.1 0.2 0.3 0.4 0.5 0.6*${Array.from({ length: 8 }, (_, k) =>
    `w${k} ${[1, 2, 3, 4, 5, 6].map((c) => (k - 4) * c % 5).join(" ")}_${k} ${-k} 0.5`).join("*")}`, scale: "2" },
];

// The program on a file of that text.
function native(t, text) {
  const place = folder(t), file = path.join(place, "example.txt");
  writeFileSync(file, text);
  return spawnSync(path.join(root, "bin/worked_example"), ["--input", "example.txt", "--out", place], { cwd: place, encoding: "utf8" });
}
function read(lab, text) {
  lab.files.set("example.txt", new TextEncoder().encode(text));
  const at = lab.putText("example.txt"), status = lab.moves_read(at);
  lab.free(at);
  return status;
}

test("the moves are the program's, to the last letter", async (t) => {
  const lab = await instantiate(module);
  for (const example of examples) {
    const text = fileOf(example), { stdout } = native(t, text);
    assert.equal(read(lab, text), 0, lab.text(lab.moves_error()));
    assert.equal(lab.text(lab.moves_text()) + lab.text(lab.moves_lines()), stdout.split("wrote ")[0]);
    // The steps hold all that was printed but the first two lines.
    const steps = movesOf(lab.text(lab.moves_text())), { keys } = parse(example.example);
    assert.deepEqual(steps.map(({ lines }) => lines.length), [keys.length, keys.length, keys.length, 1, keys.length, keys.length, 1]);
    const letters = (s) => s.replace(/\s|=/g, "");
    const all = steps.map(({ title, lines }) => title + lines.map(({ left, working, result }) => left + working + result).join("")).join("");
    assert.equal(letters(all), letters(lab.text(lab.moves_text()).split("\n\n").slice(1).join("\n\n")));
    const sum = lab.doubles(lab.moves_weights(), keys.length).reduce((total, a) => total + a, 0);
    assert.ok(Math.abs(sum - 1) < 1e-14);
  }
});

test("a file that the program refuses is refused in its words, and the next one is read", async (t) => {
  const lab = await instantiate(module);
  for (const text of ["query a = 1\n", "query a = 1\nkey b = 1 2\nvalue b = 1\n", "query a = 01\nkey b = 1\nvalue b = 1\n"]) {
    assert.notEqual(read(lab, text), 0);
    const words = lab.text(lab.moves_error());
    assert.ok(words.length > 10 && native(t, text).stderr.includes(words), words);
    assert.equal(read(lab, fileOf(panel.defaults)), 0);
    assert.equal(lab.text(lab.moves_error()), "");
  }
});

test("what a link says is made an example, or the lecture's", () => {
  assert.equal(fit(panel.defaults.example, 4, 2), panel.defaults.example);
  assert.equal(fit("a 1 2*b 3_4", 3, 1), "a 1 2 0*b 3 0 0_4");
  assert.equal(fit("a 1 2*b 3 5_4 6", 1, 1), "a 1*b 3_4");
  for (const bad of ["", "a", "a 1", "a 1_2*b 1_2", "a 1*b 2", "a 01*b 2_1", "a 1e3*b 2_1", "a 1*b x_1", "a 1*b 2_1*c 3", "#a 1*b 2_1",
    `a 1${"*b 2_1".repeat(9)}`, "a 1*b= 2_1", "a NaN*b 1_1", "a 12345*b 1_1"])
    assert.equal(fit(bad, 1, 1), null, bad);
  const repaired = panel.repair({ ...panel.defaults, example: "nonsense", d_k: 3, d_v: 7, scale: "0", gap: NaN, keys: 4 });
  assert.deepEqual(repaired, { ...panel.defaults, d_k: 3, example: fit(panel.defaults.example, 3, 2) });
});

test("the lookup table is the program's at every gap", async (t) => {
  const lab = await instantiate(module);
  let compared = 0;
  for (const [seed, n] of [["1", 10], ["7", 2], ["7", 50], ["18446744073709551615", 3]]) {
    const out = folder(t);
    spawnSync("bin/lookup_table", ["--seed", seed, "--keys", `${n}`, "--trials", "1", "--out", out], { cwd: root });
    const blocks = readFileSync(path.join(out, "lookup_table.dat"), "utf8").split("\n\n\n").map((block) =>
      block.split("\n").filter((each) => each && !each.startsWith("#")).map((each) => each.trim().split(/\s+/)));
    const { value, done } = dictionary(lab, { seed, n }).next();
    assert.ok(done);
    const same = (x, word) => { assert.equal(Number(x.toPrecision(9)), Number(word)); compared++; };
    const sweep = blocks.find(([names]) => names.includes("gap"));
    assert.equal(sweep.length, value.points.length + 1);
    for (const [k, p] of value.points.entries()) {
      const law = lab.doubles(lab.lookup_law(n, p.b), 3);
      [n, p.b, law[0], p.rest, p.stair, p.off, law[1], p.trace, law[2], p.frobenius].forEach((x, c) => same(x, sweep[k + 1][c]));
    }
    const [names, row] = blocks.find(([each]) => each.includes("one_predicted"));
    same(value.one, row[names.indexOf("one")]);
    same(value.zero, row[names.indexOf("zero")]);
  }
  assert.ok(compared > 4000);
});

const step = (page, k) => page.locator(`.moves li:nth-child(${k}) td:last-child`).allTextContents();
const asked = (page) => page.locator("#panel-by_hand .asked code").first().textContent();
// The results of a step as the program prints them for the file that is shown.
async function its(t, page, k) {
  const file = (await asked(page)).split("\n").slice(1, -2).join("\n") + "\n";
  return movesOf(native(t, file).stdout.split("claim ")[0])[k - 1].lines.map(({ result }) => result.replace(/-/g, "−"));
}

for (const viewport of [undefined, phone])
  test(`numbers, words and keys can be changed by the keyboard, and every move follows${viewport ? ", on a phone" : ""}`, async (t) => {
    const page = await open(t, "#by_hand", { viewport });
    assert.deepEqual(await step(page, 7), ["(0.757313, 0.204982)"]);
    await page.getByLabel("key 2, number 1").focus();
    await page.keyboard.press("ArrowUp");
    await page.waitForFunction(() => document.querySelector(".moves li:nth-child(1) tr:nth-child(2) td:last-child").textContent === "6");
    for (const k of [1, 2, 3, 4, 5, 6, 7]) assert.deepEqual(await step(page, k), await its(t, page, k));
    await page.getByLabel("key 2, number 1").fill("-1.25");
    await page.getByLabel("Word of the key 2").fill("dog");
    await page.waitForFunction(() => /key dog = -1.25 0/.test(document.querySelector("#panel-by_hand .asked code").textContent));
    assert.deepEqual(await step(page, 5), await its(t, page, 5));
    // What is no number is told, and changes nothing.
    const before = await asked(page);
    await page.getByLabel("key 2, number 2").fill("");
    assert.equal(await page.getByLabel("key 2, number 2").getAttribute("aria-invalid"), "true");
    await page.getByLabel("Word of the query").fill("a b");
    assert.equal(await page.getByLabel("Word of the query").getAttribute("aria-invalid"), "true");
    assert.equal(await asked(page), before);
    await page.locator("button", { hasText: "Add a key" }).click();
    await page.getByLabel("value 5, number 1").fill("3");
    await page.waitForFunction(() => document.querySelectorAll(".moves li:nth-child(6) tr").length === 5);
    await page.getByLabel("Remove key 1").click();
    await page.waitForFunction(() => document.querySelectorAll(".moves li:nth-child(6) tr").length === 4);
    for (const k of [1, 5, 7]) assert.deepEqual(await step(page, k), await its(t, page, k));
    await page.waitForFunction(() => /Output .*; the largest weight is/.test(document.querySelector("#panel-by_hand [role=status]").textContent));
    // The link has all of it.
    await page.waitForFunction(() => location.hash === document.querySelector("#panel-by_hand .command .row a").getAttribute("href"));
    const copy = await open(t, await page.evaluate(() => location.hash));
    assert.deepEqual(await step(copy, 6), await step(page, 6));
    await page.locator("button", { hasText: "The lecture's numbers" }).click();
    await page.waitForFunction(() => document.querySelector(".moves li:nth-child(7) td:last-child").textContent === "(0.757313, 0.204982)");
  });

test("as many keys as are allowed, and one at least", async (t) => {
  const page = await open(t, "#by_hand");
  const add = page.locator("button", { hasText: "Add a key" });
  for (let k = 0; k < 4; k++) await add.click();
  await page.waitForFunction(() => document.querySelectorAll("#panel-by_hand fieldset").length === 9);
  assert.ok(await add.isDisabled());
  for (let k = 0; k < 7; k++) {
    await page.getByLabel("Remove key 1").click();
    await page.waitForFunction((rows) => document.querySelectorAll("#panel-by_hand fieldset").length === rows, 8 - k);
  }
  assert.ok(await page.getByLabel("Remove key 1").isDisabled());
  assert.deepEqual(await step(page, 5), ["1"]);
});

test("the gap moves the point to an exact zero", async (t) => {
  const page = await open(t, "#by_hand?gap=744&keys=10");
  const facts = () => page.locator("#panel-by_hand .readout dt + dd").allTextContents();
  await page.waitForFunction(() => /^1, exactly/.test(document.querySelector("#panel-by_hand .readout div:nth-child(2) dd").textContent));
  assert.match((await facts())[2], /10⁻³²³/);
  await page.locator("#by_hand-gap").focus();
  await page.keyboard.press("End");
  await page.waitForFunction(() => /^0, exactly/.test(document.querySelector("#panel-by_hand .readout div:nth-child(3) dd").textContent));
  assert.deepEqual((await facts()).slice(1), ["1, exactly", "0, exactly", "0, exactly", "0, exactly", "0, exactly"]);
  await page.waitForFunction(() => /Gap 760: error 0, exactly/.test(document.querySelector("#panel-by_hand [role=status]").textContent));
});
