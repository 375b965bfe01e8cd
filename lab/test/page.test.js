// The committed page in a real browser.
import test from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { axe, file, folder, open, phone, picture, root, useBrowser, wide } from "./page.js";

useBrowser(test);

const ledger = readFileSync(path.join(root, "docs/ledger.tsv"), "utf8").trimEnd().split("\n").slice(1)
  .map((row) => row.split("\t"));
const report = readFileSync(path.join(root, "results/report.html"), "utf8");

// Every panel: a state that is not its first, and the programs' commands are
// looked at for all of them.
const panels = [
  { id: "score_spread", link: "#score_spread?seed=7&d_k=128&pairs=1000&entries=laplace",
    command: "bin/score_spread --seed 7 --head-sizes 128 --pairs 1000 --entries laplace",
    ready: (page) => page.waitForFunction(() => /\bspread\.scaled\b/.test(document.querySelector(".verdicts pre").textContent)) },
  { id: "softmax_jacobian", link: "#softmax_jacobian?seed=7&d_k=64&keys=9&regime=unscaled&heads=100",
    command: "bin/softmax_jacobian --seed 7 --trials 100 --keys 9 --head-size 64",
    ready: (page) => page.waitForFunction(() => document.querySelector(".readings .many").textContent === "100 heads" ||
      document.querySelector(".readings .many").textContent === "10,000 heads") },
  { id: "head_training", link: "#head_training?seed=7&d_k=16&heads=3&steps=30&step=10",
    command: "bin/head_training --seed 7 --head-size 16 --trials 3 --followed 1 --tuning 1 --steps 30",
    ready: (page) => page.waitForFunction(() => document.querySelector("#panel-head_training .numbers caption").textContent) },
  { id: "where", link: "#where?seed=7&sentence=twins&order=41230&positions=1&tokens=16",
    command: "bin/permutation_equivariance --seed 7\nbin/position_encoding --seed 7 --tokens 16 --head-size 64",
    ready: (page) => page.waitForFunction(() => /\bequivariance\.[^]*rotary\.|\bposition\.[^]*rotary\./
      .test(document.querySelector("#panel-where .verdicts pre").textContent)) },
  { id: "by_hand", isQuick: true, link: "#by_hand?seed=7&example=who+1+-2.5*dog+0.5+1_3*cat+2+-1_-4.25*dog+1+0_7&d_k=2&d_v=1&scale=0.25&gap=30&keys=5",
    command: "cat >example.txt <<'END'\nquery who = 1 -2.5\nkey dog = 0.5 1\nvalue dog = 3\nkey cat = 2 -1\nvalue cat = -4.25\n" +
      "key dog = 1 0\nvalue dog = 7\nscale = 0.25\nEND\nbin/worked_example --seed 7 --input example.txt",
    ready: (page) => page.waitForFunction(() => /of the right key/.test(document.querySelector("#panel-by_hand .readout").textContent) &&
      document.querySelector("#panel-by_hand .readout div:nth-child(2) dd").textContent !== "") },
];

// In a panel's first command.
const first = (page, at, ...inside) => page.locator(`${at} .command`).first().locator(...inside);

// What was copied, pasted into a shell.
function inShell(t, command) {
  const place = folder(t);
  symlinkSync(path.join(root, "bin"), path.join(place, "bin"));
  return spawnSync("sh", ["-c", `${command} --out ${folder(t)}`], { cwd: place, encoding: "utf8" });
}

test("every panel of the page is tested", async (t) => {
  const page = await open(t);
  const links = await page.locator("nav a").evaluateAll((all) => all.map((e) => e.hash.slice(1)));
  assert.ok(links.length > 0);
  assert.deepEqual(links, panels.map(({ id }) => id));
});

test("the page is small enough to open at once", () => {
  assert.ok(readFileSync(file).length < 1.5e6);
});

for (const { id, link, command, ready, isQuick } of panels) {
  const at = `#panel-${id}`;

  test(`${id}: claims are the ledger's, and lead to the report`, async (t) => {
    const page = await open(t, `#${id}`);
    const hrefs = await page.locator(`${at} a[href^="report.html"]`).evaluateAll((all) => all.map((e) => e.getAttribute("href")));
    assert.ok(hrefs.length >= 2);
    for (const href of hrefs) assert.ok(report.includes(`id="${href.split("#")[1]}"`), href);
    const claims = await page.locator(`${at} .claims code`).allTextContents();
    assert.ok(claims.length > 0);
    for (const claim of claims) assert.ok(ledger.some(([known]) => known === claim), claim);
  });

  test(`${id}: a link restores the state, and the page makes that link`, async (t) => {
    const page = await open(t, link);
    await page.waitForFunction(([where, text]) => document.querySelector(`${where} .asked code`).textContent.startsWith(text),
      [at, command]);
    assert.equal(await first(page, at, ".row a").getAttribute("href"), link);
    // And from one state to another, in the open page.
    await page.evaluate((hash) => { location.hash = hash; }, `#${id}?seed=3`);
    await page.waitForFunction((where) => / --seed 3\b/.test(document.querySelector(`${where} .asked code`).textContent), at);
  });

  test(`${id}: what a link cannot mean is left at the default`, async (t) => {
    const page = await open(t, `#${id}?seed=0&d_k=1e9&stray=1&pairs=x&entries=cauchy&correlation=7`);
    await ready(page);
    assert.match(await first(page, at, ".asked code").textContent(), / --seed 1\b/);
  });

  test(`${id}: the keyboard moves every slider, and the link with it`, async (t) => {
    const page = await open(t, `#${id}`);
    await ready(page);
    const sliders = page.locator(`${at} input[type=range]:enabled`);
    const count = await sliders.count();
    for (let k = 0; k < count; k++) {
      const before = await first(page, at, ".row a").getAttribute("href");
      const told = await sliders.nth(k).getAttribute("aria-valuetext");
      await sliders.nth(k).focus();
      await page.keyboard.press(await sliders.nth(k).evaluate((e) => e.value === e.max) ? "ArrowLeft" : "ArrowRight");
      await page.waitForFunction(([where, text]) => document.querySelector(`${where} .command .row a`).getAttribute("href") !== text, [at, before]);
      assert.notEqual(await sliders.nth(k).getAttribute("aria-valuetext"), told);
    }
    // The state has come to rest in the URL.
    await page.waitForFunction(() => location.hash.includes("="));
  });

  test(`${id}: the program runs in the page, and prints what a terminal prints`, async (t) => {
    const page = await open(t, link);
    await first(page, at, "button", { hasText: "Run it here" }).click();
    const printed = first(page, at, "pre.terminal");
    await printed.waitFor({ state: "visible", timeout: 60000 });
    const its = inShell(t, command);
    const body = (text) => text.split("\n").filter((line) => line && !/^(\$|wrote|timed)/.test(line)).join("\n");
    assert.equal(body(await printed.textContent()), body(its.stdout));
    assert.ok(await first(page, at, ".made a[download]").count() >= 2);
  });

  if (!isQuick) test(`${id}: a program that runs can be stopped`, async (t) => {
    const page = await open(t, `#${id}`);
    await first(page, at, "button", { hasText: "Run it here" }).click();
    const stop = first(page, at, "button", { hasText: "Stop" });
    await stop.click();
    await stop.waitFor({ state: "hidden" });
    assert.ok(await first(page, at, "button", { hasText: "Run it here" }).isEnabled());
  });

  test(`${id}: one click copies the command`, async (t) => {
    const page = await open(t, link);
    await page.evaluate(() => {
      Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { window.copied = text; } } });
    });
    await first(page, at, ".asked button").click();
    assert.equal(await page.evaluate(() => window.copied), command);
  });

  test(`${id}: a bad seed is refused, and the last good one stays`, async (t) => {
    const page = await open(t, `#${id}`);
    const seed = page.locator(`${at} .seed input`);
    for (const bad of ["0", "-1", "1.5", "x", "18446744073709551616", "007"]) {
      await seed.fill(bad);
      assert.equal(await seed.getAttribute("aria-invalid"), "true", bad);
    }
    await seed.fill("18446744073709551615");
    assert.equal(await seed.getAttribute("aria-invalid"), "false");
    await page.waitForFunction((where) => document.querySelector(`${where} .asked code`).textContent
      .includes("--seed 18446744073709551615"), at);
    await page.locator(`${at} .seed button`).click();
    await page.waitForFunction((where) => / --seed 1\b/.test(document.querySelector(`${where} .asked code`).textContent), at);
  });

  const everything = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  for (const [name, viewport, colorScheme] of [["wide", wide, "light"], ["phone", phone, "light"], ["wide", wide, "dark"],
    ["phone", phone, "dark"]])
    test(`${id}: axe finds nothing, nothing scrolls sideways: ${name}, ${colorScheme}`, async (t) => {
      const page = await open(t, link, { viewport, colorScheme });
      await ready(page);
      await picture(page, `${id}-${name}-${colorScheme}`);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), viewport.width);
      await page.evaluate(axe());
      const { violations, passes } = await page.evaluate((values) =>
        window.axe.run({ runOnly: { type: "tag", values }, resultTypes: ["violations"] }), everything);
      assert.ok(passes.some((each) => each.id === "color-contrast"));
      assert.deepEqual(violations.map(({ id: rule, nodes }) =>
        `${rule}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" ; ")}`), []);
    });
}

test("score_spread: the sd that is shown is the program's", async (t) => {
  const page = await open(t, panels[0].link);
  await page.waitForFunction(() => document.querySelector(".readout dd")?.textContent === "1,000");
  const out = folder(t);
  spawnSync("bin/score_spread", "--seed 7 --head-sizes 128 --pairs 1000 --entries laplace --quiet --out".split(" ").concat(out), { cwd: root });
  const [names, values] = readFileSync(path.join(out, "score_spread.dat"), "utf8").split("\n")
    .filter((line) => !line.startsWith("#") && line).map((line) => line.trim().split(/\s+/));
  const its = Object.fromEntries(names.map((name, k) => [name, Number(values[k]).toPrecision(4)]));
  const shown = await page.locator(".readout dt + dd").allTextContents();
  assert.deepEqual(shown.map((text) => Number(text.split(" ")[0].replace("−", "-").replace(",", ""))),
    [1000, Number(its.sd), Number(its.scaled), Number(its.mean)]);
});

test("score_spread: a sample drawn slowly grows, unless motion is unwanted", async (t) => {
  for (const reducedMotion of ["no-preference", "reduce"]) {
    const page = await open(t, panels[0].link, { reducedMotion });
    await panels[0].ready(page);
    await page.waitForFunction(() => document.querySelector(".readout dd")?.textContent === "1,000");
    await page.evaluate(() => {
      window.numbers = new Set();
      const of = document.querySelector(".readout dd");
      new MutationObserver(() => window.numbers.add(of.textContent)).observe(of, { childList: true, characterData: true, subtree: true });
    });
    await page.locator("button", { hasText: "Draw it slowly" }).click();
    if (reducedMotion === "reduce") await page.waitForTimeout(500);
    else await page.waitForFunction(() => window.numbers.has("1,000"));
    const parts = await page.evaluate(() => window.numbers.size);
    assert.equal(parts > 3, reducedMotion !== "reduce", `${parts} parts`);
  }
});
