// The committed page: made from the present sources, its numbers those of the
// programs, and what a reader does with it in a real browser. `make test-lab`.
import test from "node:test";
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { compile, instantiate, run } from "../page/module.js";
import { fromFragment, toFragment } from "../page/state.js";

export const root = fileURLToPath(new URL("../..", import.meta.url));
const file = path.join(root, "results/lab.html");
const html = readFileSync(file, "utf8");
const bytes = Buffer.from(html.match(/<script[^>]* id="module">([^<]*)</)[1], "base64");
const module = await compile(bytes);

test("the committed page was made from the present sources", () => {
  const now = execFileSync(path.join(root, "lab/digest.sh"), { encoding: "utf8" }).trim();
  const then = html.match(/<meta name="sources" content="([^"]*)">/)[1];
  assert.equal(then, now, "results/lab.html is out of date: make setup-lab lab");
});
