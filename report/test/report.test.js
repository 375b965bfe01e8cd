// The report in a real browser: `make test-report`. REPORT is the page to open,
// by default the committed one; FRESH, where set, is what its sources make of it.
"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { readFileSync, mkdtempSync, rmSync, mkdirSync, readdirSync } = require("node:fs");
const { execFileSync } = require("node:child_process");
const { tmpdir } = require("node:os");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { chromium } = require("playwright-core");

const root = path.resolve(__dirname, "../..");
const file = path.resolve(root, process.env.REPORT ?? "results/report.html");
const folder = path.dirname(file);
const url = pathToFileURL(file).href;
const axe = readFileSync(require.resolve("axe-core"), "utf8");
const screenshots = process.env.SCREENSHOTS;

const table = (name) => readFileSync(path.join(root, name), "utf8").trimEnd()
  .split("\n").slice(1).map((row) => row.split("\t"));
const ledger = table("docs/ledger.tsv");
const lines = readdirSync(folder).filter((name) => name.endsWith(".claims.tsv"))
  .flatMap((name) => table(path.relative(root, path.join(folder, name))));
// The page shows neither the sheet of all figures nor the bench.
const figures = readdirSync(folder).filter((name) =>
  name.endsWith(".svg") && !["figures.svg", "bench.svg"].includes(name));

const wide = { width: 1280, height: 900 };
const phone = { width: 360, height: 740 };
// What a browser window of 1280 pixels shows at a zoom of 200 %.
const zoomed = { width: 640, height: 450 };

let profile, browser;

test.before(async () => {
  profile = mkdtempSync(path.join(tmpdir(), "report-"));
  browser = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    chromiumSandbox: process.getuid() !== 0,
    viewport: wide,
  });
});

test.after(async () => {
  await browser?.close();
  rmSync(profile, { recursive: true, force: true });
});

// The page opened at a size and in a colour scheme; whatever it complains about
// or asks the network for is a failure.
async function open(t, { viewport = wide, colorScheme = "light", media = "screen" } = {}) {
  const page = await browser.newPage();
  const complaints = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (request.url() !== url && !request.url().startsWith("data:"))
      complaints.push("asks for " + request.url());
  });
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme, media, reducedMotion: "reduce" });
  await page.goto(url);
  await drawn(page);
  t.after(async () => {
    await page.close();
    assert.deepEqual(complaints, []);
  });
  return page;
}

// Sizes are observed after a frame's callbacks: with the second frame they have been.
const drawn = (page) => page.evaluate(() => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(done))));

async function unfold(page) {
  await page.evaluate(() => {
    for (const fold of document.querySelectorAll("details")) fold.open = true;
  });
  await drawn(page);
}

async function picture(page, name, options) {
  if (!screenshots) return;
  mkdirSync(screenshots, { recursive: true });
  await page.screenshot({ path: path.join(screenshots, name + ".png"), ...options });
}

test("the committed page is what its sources make", (t) => {
  if (!process.env.FRESH) return t.skip("no fresh page given");
  const pandoc = execFileSync("pandoc", ["--version"], { encoding: "utf8" }).split(/\s+/)[1];
  if (!pandoc.startsWith("2.17"))
    return t.skip(`pandoc ${pandoc} writes other bytes than the committed page's 2.17`);
  const [committed, fresh] = [file, process.env.FRESH].map((name) => readFileSync(name));
  assert.ok(committed.equals(fresh), `${file} is out of date: make report`);
});

test("the page is small enough to open at once", () => {
  assert.ok(readFileSync(file).length < 3e6);
});

test("every claim of the ledger is there with each of its verdicts", async (t) => {
  const page = await open(t);
  assert.ok(ledger.length > 0 && lines.length >= ledger.length);
  const claims = await page.evaluate(() => Object.fromEntries(
    [...document.querySelectorAll("section.claim")].map((claim) => [claim.id, {
      chapter: claim.closest("section.level2").querySelector("h2").textContent,
      says: claim.querySelector(":scope > p:not(.tags)")?.textContent ?? "",
      rows: [...claim.querySelectorAll("table.lines tbody tr")].map((row) =>
        [row.querySelector("code").textContent,
          row.querySelector(".verdict").textContent.replace(/^\S+ /, "")]),
      command: claim.querySelector("pre code").textContent,
      listed: document.querySelectorAll(`table.ledger a[href="#${claim.id}"]`).length }])));
  assert.deepEqual(Object.keys(claims).sort(), ledger.map(([id]) => id).sort());
  for (const [id, section, program] of ledger) {
    const { chapter, says, rows, command, listed } = claims[id];
    assert.equal(chapter.replace("’", "'").replace(/Divide by .*/, "Divide by sqrt(d_k)?"), section, id);
    assert.ok(says.length > 20, id);
    const wanted = lines.filter(([name]) => name.split("/")[0] === id)
      .map((f) => [f[0], f[10] === "-" ? "no verdict" : f[10]]);
    assert.ok(wanted.length > 0, id);
    assert.deepEqual(rows, wanted, id);
    assert.match(command, new RegExp(`^bin/${program} .*grep ${id}$`));
    assert.ok(listed > 0, id);
  }
});

test("the suite's verdict is that of make claims", async (t) => {
  const page = await open(t);
  let said;
  try {
    said = execFileSync("awk", ["-f", "tools/claims.awk", "docs/ledger.tsv",
      ...readdirSync(folder).filter((name) => name.endsWith(".claims.tsv"))
        .map((name) => path.join(folder, name))], { cwd: root, encoding: "utf8" });
  } catch (bad) {
    said = bad.stdout;
  }
  const verdict = said.match(/^suite: (\w+)$/m)[1];
  assert.match(await page.locator(".suite").textContent(), new RegExp(verdict + "$"));
});

test("every figure is drawn, has a text alternative and a caption", async (t) => {
  const page = await open(t);
  const shown = await page.locator("figure").evaluateAll((all) => all.map((figure) => {
    const svg = figure.querySelector("svg"), box = svg.getBoundingClientRect();
    const named = svg.getAttribute("aria-labelledby").split(" ")
      .map((id) => document.getElementById(id)?.textContent ?? "");
    return { id: figure.id, width: box.width, height: box.height,
      marks: svg.querySelectorAll("path, use, text, rect").length,
      role: svg.getAttribute("role"), named,
      caption: figure.querySelector("figcaption").textContent };
  }));
  const stems = new Set([...figures, "seeds.svg"].map((name) => name.replace(".svg", "")));
  assert.deepEqual(shown.map(({ id }) => id.replace("figure-", "")).sort(), [...stems].sort());
  for (const { id, width, height, marks, role, named, caption } of shown) {
    assert.ok(width > 400 && height > 200, `${id} is ${width} x ${height}`);
    assert.ok(marks > 20, `${id} has ${marks} marks`);
    assert.equal(role, "img");
    assert.ok(named.length === 2 && named.every((text) => text.length > 20), id);
    assert.ok(caption.length > 20, id);
  }
});

test("ids are unique, and every link and reference has its target", async (t) => {
  const page = await open(t);
  const { ids, missing, links, outside } = await page.evaluate(() => {
    const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
    const known = new Set(ids), missing = [], outside = [];
    const wanted = [...document.querySelectorAll("[href], [*|href]")]
      .map((e) => e.getAttribute("href") ?? e.getAttribute("xlink:href"))
      .filter((href) => !href.startsWith("data:"));
    for (const href of wanted) {
      if (!href.startsWith("#")) outside.push(href);
      else if (!known.has(decodeURIComponent(href.slice(1)))) missing.push(href);
    }
    for (const e of document.querySelectorAll("[aria-labelledby]"))
      for (const id of e.getAttribute("aria-labelledby").split(" "))
        if (!known.has(id)) missing.push(id);
    for (const [, id] of document.body.innerHTML.matchAll(/url\(#([^)]*)\)/g))
      if (!known.has(id)) missing.push(id);
    return { ids, missing, links: wanted.length, outside };
  });
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(links > 100);
  assert.deepEqual(missing, []);
  assert.deepEqual(outside, ["lab.html"]);
});

test("no formula asks for a style that browsers do not know", () => {
  assert.ok(!readFileSync(file, "utf8").match(/<mstyle mathvariant="(normal|bold)">/));
});

test("mathematics is set, with nothing left over", async (t) => {
  const page = await open(t);
  await unfold(page);
  const { formulas, flat, left } = await page.evaluate(() => {
    const formulas = [...document.querySelectorAll("math")];
    const prose = document.querySelector("main").cloneNode(true);
    for (const e of prose.querySelectorAll("math, code, svg")) e.remove();
    return { formulas: formulas.length,
      flat: formulas.filter((e) => e.getBoundingClientRect().height < 4).length,
      left: prose.textContent.match(/.{0,30}(\$|\\[a-z]+|\{[A-Z]+\}|\*\*).{0,30}/)?.[0] };
  });
  assert.ok(formulas > 500, `${formulas} formulas`);
  assert.equal(flat, 0);
  assert.equal(left, undefined);
});

// axe does not look into pictures.
for (const colorScheme of ["light", "dark"])
  test(`labels of figures have the contrast that WCAG AA asks for: ${colorScheme}`, async (t) => {
    const page = await open(t, { colorScheme });
    const labels = await page.evaluate(() => [...document.querySelectorAll("figure text")].map((e) => ({
      text: e.textContent, fill: getComputedStyle(e).fill.match(/[\d.]+/g).map(Number),
      dim: Number(getComputedStyle(e.closest("figure > svg")).filter.match(/brightness\((.*)\)/)?.[1] ?? 1) })));
    const luminance = (colour) => colour.map((c) => c / 255)
      .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
      .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0.05);
    assert.ok(labels.length > 300);
    assert.deepEqual(labels.filter(({ fill, dim }) =>
      luminance([255, 255, 255].map((c) => c * dim)) / luminance(fill.map((c) => c * dim)) < 4.5), []);
  });

const everything = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
// What dark changes is colour, so that is what is asked of it.
const colours = { type: "rule", values: ["color-contrast", "link-in-text-block"] };
for (const [name, viewport, colorScheme, rules] of [["wide", wide, "light", everything],
  ["phone", phone, "light", everything], ["wide", wide, "dark", colours]])
  test(`axe finds nothing against WCAG AA: ${name}, ${colorScheme}`, async (t) => {
    const page = await open(t, { viewport, colorScheme });
    await picture(page, `${name}-${colorScheme}`);
    await unfold(page);
    // axe knows no MathML, and takes long over it: a formula is its text.
    await page.evaluate(() => {
      for (const formula of document.querySelectorAll("math"))
        formula.replaceWith(formula.querySelector("annotation").textContent);
    });
    await page.evaluate(axe);
    const { violations, passes } = await page.evaluate((runOnly) => window.axe.run(
      { exclude: [["figure > svg > *"]] },
      { runOnly, resultTypes: ["violations"],
        // Looked at below, where formulas are still formulas.
        rules: { "scrollable-region-focusable": { enabled: false } } }), rules);
    assert.ok(passes.some(({ id }) => id === "color-contrast"));
    assert.deepEqual(violations.map(({ id, nodes }) =>
      `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 120)).join(" ; ")}`), []);
  });

for (const [name, viewport] of Object.entries({ wide, zoomed, phone }))
  test(`nothing scrolls sideways but what is wider than a line: ${name}`, async (t) => {
    const page = await open(t, { viewport });
    const width = () => page.evaluate(() => document.documentElement.scrollWidth);
    assert.equal(await width(), viewport.width);
    await unfold(page);
    assert.equal(await width(), viewport.width);
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll("main p, main li, main td, main th, main pre, h1, h2, h3")]
        .filter((e) => e.getClientRects().length && e.scrollWidth > e.clientWidth + 1 &&
          e.clientWidth > 1 && !e.closest(".wide") && !e.closest("thead"))
        .map((e) => e.textContent.trim().slice(0, 60)));
    assert.deepEqual(cut, []);
    await picture(page, `${name}-unfolded`);
  });

test("a wide formula scrolls in a box that the keyboard reaches", async (t) => {
  const page = await open(t, { viewport: phone });
  await unfold(page);
  const boxes = await page.evaluate(() => [...document.querySelectorAll(".equation, .wide")]
    .filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.matches("[tabindex='0']")));
  assert.ok(boxes.length > 0);
  assert.ok(boxes.every(Boolean));
});

test("the keyboard reaches everything, and shows where it is", async (t) => {
  const page = await open(t);
  const wanted = await page.evaluate(() =>
    [...document.querySelectorAll("a[href], button, summary, [tabindex='0']")]
      .filter((e) => e.checkVisibility()).length);
  const seen = new Set();
  for (let k = 0; k < wanted; k++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const e = document.activeElement;
      if (e === document.body) return null;
      e.dataset.reached ??= String(document.querySelectorAll("[data-reached]").length);
      const { outlineStyle, outlineWidth } = getComputedStyle(e);
      return [e.dataset.reached, outlineStyle !== "none" && parseFloat(outlineWidth) >= 2,
        e.outerHTML.slice(0, 80)];
    });
    assert.ok(at, `stop ${k} of ${wanted}`);
    assert.ok(at[1], `no focus ring on ${at[2]}`);
    seen.add(at[0]);
  }
  assert.equal(seen.size, wanted);
});

test("the skip link leads past the contents", async (t) => {
  const page = await open(t);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  assert.ok(await page.evaluate(() => document.activeElement.closest("main") !== null));
});

test("headings follow one another without a gap", async (t) => {
  const page = await open(t);
  const levels = await page.locator("h1, h2, h3, h4, h5, h6")
    .evaluateAll((all) => all.map((e) => Number(e.tagName[1])));
  assert.equal(levels.filter((level) => level === 1).length, 1);
  for (let k = 1; k < levels.length; k++)
    assert.ok(levels[k] <= levels[k - 1] + 1, `heading ${k}`);
});

test("one click copies a command as it stands", async (t) => {
  const page = await open(t);
  await page.evaluate(() => {
    window.copied = [];
    Object.defineProperty(navigator, "clipboard",
      { value: { writeText: async (text) => { window.copied.push(text); } } });
  });
  const buttons = page.locator("pre button");
  const commands = await page.locator("pre code").allTextContents();
  assert.equal(await buttons.count(), commands.length);
  assert.ok(commands.length > ledger.length);
  for (const k of [0, 1, commands.length - 1]) {
    await buttons.nth(k).click();
    assert.equal(await buttons.nth(k).textContent(), "Copied");
  }
  assert.deepEqual(await page.evaluate(() => window.copied),
    [0, 1, commands.length - 1].map((k) => commands[k].trim()));
});

test("a head of the ledger sorts it, up and down, and says so", async (t) => {
  const page = await open(t);
  const column = async (k) => page.locator("table.ledger tbody tr")
    .evaluateAll((rows, at) => rows.map((row) => row.cells[at].textContent.trim()), k);
  const before = await column(2);
  const head = page.locator("table.ledger thead th");
  await head.nth(2).locator("button").click();
  assert.deepEqual(await column(2), [...before].sort((a, b) => a.localeCompare(b, "en")));
  assert.equal(await head.nth(2).getAttribute("aria-sort"), "ascending");
  await head.nth(4).locator("button").click();
  await head.nth(4).locator("button").click();
  assert.equal(await head.nth(4).getAttribute("aria-sort"), "descending");
  assert.equal(await head.nth(2).getAttribute("aria-sort"), null);
  assert.equal((await column(4))[0].replaceAll(",", ""),
    String(Math.max(...lines.filter(([id]) => ledger.some((row) => row[0] === id)).map((f) => Number(f[3])))));
  await head.nth(0).locator("button").click();
  assert.deepEqual(await column(2), before);
});

test("the phone's tables are cards that keep every label", async (t) => {
  const page = await open(t, { viewport: phone });
  const labels = await page.locator(".lines td, .ledger td").evaluateAll((all) =>
    all.filter((e) => !getComputedStyle(e, "::before").content.includes(e.dataset.label)).length);
  assert.equal(labels, 0);
});

test("on paper: no buttons, light, nothing folded, no figure across pages", async (t) => {
  const page = await open(t, { media: "print", colorScheme: "dark" });
  const found = await page.evaluate(() => ({
    buttons: [...document.querySelectorAll("pre button, .skip")].filter((e) => e.getClientRects().length).length,
    ground: getComputedStyle(document.body).backgroundColor,
    hidden: [...document.querySelectorAll("details > p")].filter((e) => e.getBoundingClientRect().height === 0).length,
    figures: [...document.querySelectorAll("figure")].filter((e) => getComputedStyle(e).breakInside !== "avoid").length,
  }));
  assert.deepEqual(found, { buttons: 0, ground: "rgb(255, 255, 255)", hidden: 0, figures: 0 });
});
