// The committed page and its module, for every test.
import { readFileSync, mkdtempSync, mkdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import assert from "node:assert/strict";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const file = path.join(root, "results/lab.html");
export const html = readFileSync(file, "utf8");
export const bytes = Buffer.from(html.match(/<script[^>]* id="module">([^<]*)</)[1], "base64");
export const url = pathToFileURL(file).href;

// A folder that is gone when the tests are.
export function folder(t) {
  const made = mkdtempSync(path.join(tmpdir(), "lab-"));
  t.after(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

// The report's pinned browser driver and checker serve here too.
const shared = createRequire(path.join(root, "report/test/package.json"));
export const axe = () => readFileSync(shared.resolve("axe-core"), "utf8");

// One browser for all tests of a file, which ends with them.
let browser;
export function useBrowser(test) {
  const { chromium } = shared("playwright-core");
  const profile = mkdtempSync(path.join(tmpdir(), "lab-"));
  test.before(async () => {
    browser = await chromium.launchPersistentContext(profile, {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      chromiumSandbox: process.getuid() !== 0,
    });
  });
  test.after(async () => {
    await browser?.close();
    rmSync(profile, { recursive: true, force: true });
  });
}

export const wide = { width: 1280, height: 900 };
export const phone = { width: 360, height: 740 };

// The page opened at a panel; whatever it complains about, or asks the network
// for, is a failure.
export async function open(t, hash = "", { viewport = wide, colorScheme = "light", reducedMotion = "reduce" } = {}) {
  const page = await browser.newPage();
  const complaints = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (request.url().split("#")[0] !== url && !/^(data|blob):/.test(request.url()))
      complaints.push("asks for " + request.url());
  });
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme, reducedMotion });
  await page.goto(url + hash);
  await page.waitForSelector("body[data-ready]");
  t.after(async () => {
    await page.close();
    assert.deepEqual(complaints, []);
  });
  return page;
}

// Screenshots to look at, where SCREENSHOTS names a folder.
export async function picture(page, name) {
  if (!process.env.SCREENSHOTS) return;
  mkdirSync(process.env.SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: path.join(process.env.SCREENSHOTS, name + ".png"), fullPage: true });
}
