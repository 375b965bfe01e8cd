// results/lab.html from the module and the page's sources, on standard output:
// node lab/page/build.js DIGEST build/lab/lab.wasm. The same inputs give the
// same bytes.
import { buildSync } from "esbuild";
import { readFileSync, readdirSync } from "node:fs";

const [, , digest, module] = process.argv;
const read = (path) => readFileSync(path, "utf8");

const ledger = Object.fromEntries(read("docs/ledger.tsv").trimEnd().split("\n").slice(1)
  .map((row) => row.split("\t")).map(([id, section, program, , statement]) => [id, { section, program, statement }]));

const { outputFiles: [{ text: script }], metafile } = buildSync({
  entryPoints: ["lab/page/main.js"], bundle: true, minify: true, write: false, metafile: true, format: "iife",
  target: ["chrome100", "firefox100", "safari16"], charset: "ascii", legalComments: "none",
});

const packages = new Set(Object.keys(metafile.inputs).map((path) => path.match(/lab\/node_modules\/([^/]+)/)?.[1]));
packages.delete(undefined);
const licences = [...packages].sort().map((name) => {
  const { version } = JSON.parse(read(`lab/node_modules/${name}/package.json`));
  return `${name} ${version}\n\n${read(`lab/node_modules/${name}/LICENSE`)}`;
});
licences.push(`Emscripten's C library (musl and its own parts), linked into the module\n\n${read("lab/page/licence-musl.txt")}`);

const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
const inScript = (text) => text.replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
const parts = {
  digest,
  style: read("report/style.css") + read("lab/page/lab.css"),
  licences: escaped(licences.join("\n\n")),
  ledger: inScript(JSON.stringify(ledger)),
  module: readFileSync(module).toString("base64"),
  script: inScript(script),
};
process.stdout.write(read("lab/page/index.html").replace(/\{\{([a-z]+)\}\}/g, (_, name) => parts[name]));
