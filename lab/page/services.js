// What panels share: controls, the claims, the command, what a screen reader
// hears, and work in the workers.
import { toFragment } from "./state.js";

// element("a", { href }, "text", child): attributes in camel case are properties
// where they are ones, else written with dashes.
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (key in made && key !== "list" && key !== "form") made[key] = value;
    else made.setAttribute(key.replace(/^aria(?=[A-Z])/, "aria-").replace(/[A-Z]/g, (c) => c.toLowerCase()), value);
  made.append(...children);
  return made;
}

// sqrt(d_k) and d_k as a page has them.
export function formula(text) {
  const span = element("span");
  const root = text.replace(/sqrt\(([a-z_]+)\)/g, "√$1").replace(/ - /g, " − ");
  for (const part of root.split(/\b([A-Za-z]_[A-Za-z0-9]+)/))
    if (/^[A-Za-z]_[A-Za-z0-9]+$/.test(part)) {
      const [letter, index] = part.split("_");
      span.append(element("i", {}, letter), element("sub", {}, index));
    } else span.append(part);
  return span;
}

const slug = (heading) => heading.toLowerCase().replace(/'/g, "").replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
const kind = { HOLDS: "good", CONSISTENT: "good", WEAK: "weak", INCONCLUSIVE: "open", CONTRADICTED: "bad", INCONSISTENT: "bad" };
const verdicts = new RegExp(`\\b(${Object.keys(kind).join("|")})\\b`);

// Lines of a terminal, verdicts in their colours.
export function terminal(label) {
  const code = element("code");
  const box = element("pre", { className: "terminal", tabIndex: 0, role: "region", ariaLabel: label }, code);
  let shown;
  return { box, show(text) {
    if (text === shown) return;
    shown = text;
    code.replaceChildren(...text.split(verdicts).map((part) => kind[part] ?
      element("span", { className: kind[part] }, part) : part));
  } };
}

// The same for lines of verdicts, with each verdict as a badge above them: on a
// narrow screen the last column is out of sight.
function verdictsBox() {
  const badges = element("ul", { className: "badges" });
  const lines = terminal("Verdicts as the program prints them");
  const box = element("div", { className: "verdicts" }, badges, lines.box);
  return { box, show(text) {
    lines.show(text);
    const all = text.split("\n").map((each) => [each.split(/\s/)[0], each.match(/([A-Z]{4,})$/)?.[1]])
      .filter(([, verdict]) => kind[verdict]);
    const words = all.join();
    if (badges.dataset.words === words) return;
    badges.dataset.words = words;
    badges.replaceChildren(...all.map(([id, verdict]) => element("li", {}, element("code", {}, id), " ",
      element("span", { className: `verdict ${kind[verdict]}` }, verdict))));
  } };
}

function copyButton(label, text) {
  const button = element("button", { type: "button", ariaLabel: label, ariaLive: "polite" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(button.previousElementSibling);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  return button;
}

export function servicesOf({ panel, state, section, set, refresh, shared, onState }) {
  const title = element("h2", { id: `title-${panel.id}` }, panel.title);
  const stage = element("div", { className: "stage" });
  const body = element("div", { className: "body" });
  const controls = element("div", { className: "controls", role: "group", ariaLabel: `Controls: ${panel.title}` });
  const live = element("p", { className: "unseen", role: "status" });
  const verdicts = verdictsBox();
  section.append(title, about(), stage, controls, body, verdicts.box, live);
  const running = new Map();
  let count = 0, spoken = 0, claimed;

  function about() {
    const { section: heading } = shared.ledger[panel.claims[0]];
    return element("div", { className: "about" }, element("p", {}, panel.lead, " ",
      element("a", { href: `report.html#${slug(heading)}` }, "Lecture: ", formula(heading))));
  }

  // The claims that the panel is about, with their places in the report.
  function claims() {
    const list = element("ul", { className: "claims" });
    for (const id of panel.claims)
      list.append(element("li", {}, formula(shared.ledger[id].statement), " ",
        element("a", { href: `report.html#${id}` }, element("code", {}, id))));
    return element("div", { className: "claimed" }, element("h3", {}, "What the lecture claims"), list);
  }

  function labelled(key, label, input) {
    input.id = `${panel.id}-${key}`;
    const output = element("output", { htmlFor: input.id });
    return { output, box: element("div", { className: "control" },
      element("label", { htmlFor: input.id }, formula(label)), output, input) };
  }

  // A number of the state, from values, or from min to max by step.
  function slider({ key, label, values, min, max, step = 1, format = String }) {
    const input = element("input", { type: "range", min: values ? 0 : min, max: values ? values.length - 1 : max,
      step: values ? 1 : step });
    const { output, box } = labelled(key, label, input);
    input.addEventListener("input", () =>
      set({ [key]: values ? values[input.valueAsNumber] : input.valueAsNumber }));
    onState(() => {
      const place = values ? nearest(values, state[key]) : state[key];
      if (input.valueAsNumber !== place) input.valueAsNumber = place;
      output.value = format(state[key], state);
      input.setAttribute("aria-valuetext", output.value);
      input.disabled = panel.disabled?.(state)?.includes(key) ?? false;
    });
    controls.append(box);
    return input;
  }

  // One of [value, text] pairs.
  function choice({ key, label, options }) {
    const input = element("select", {}, ...options.map(([value, text]) => element("option", { value }, text)));
    const { output, box } = labelled(key, label, input);
    output.remove();
    input.addEventListener("change", () => set({ [key]: input.value }));
    onState(() => { input.value = state[key]; });
    controls.append(box);
    return input;
  }

  // Yes (1) or no (0).
  function toggle({ key, label }) {
    const input = element("input", { type: "checkbox" });
    const { output, box } = labelled(key, label, input);
    output.remove();
    box.classList.add("toggle");
    input.addEventListener("change", () => set({ [key]: input.checked ? 1 : 0 }));
    onState(() => { input.checked = state[key] === 1; });
    controls.append(box);
    return input;
  }

  function button(label, onClick) {
    const made = element("button", { type: "button", className: "wide-button" }, label);
    made.addEventListener("click", onClick);
    controls.append(made);
    return made;
  }

  // The seed, as the programs read it: 1 to 2^64 - 1.
  function seed() {
    const input = element("input", { type: "text", inputMode: "numeric", autocomplete: "off", spellcheck: false });
    const { output, box } = labelled("seed", "Seed", input);
    output.remove();
    const next = element("button", { type: "button" }, "Next seed");
    box.classList.add("seed");
    box.append(next);
    input.addEventListener("input", () => {
      const good = isSeed(input.value);
      input.setAttribute("aria-invalid", !good);
      input.setCustomValidity(good ? "" : "A seed is a whole number from 1 to 18446744073709551615.");
      if (good) set({ seed: input.value });
    });
    input.addEventListener("change", () => input.reportValidity());
    next.addEventListener("click", () => set({ seed: String(BigInt.asUintN(64, BigInt(state.seed) + 1n) || 1n) }));
    onState(() => {
      if (document.activeElement !== input) {
        input.value = state.seed;
        input.setAttribute("aria-invalid", false);
        input.setCustomValidity("");
      }
    });
    controls.append(box);
  }

  // The command of a terminal, and the same program run here. words(state) is
  // ["bin/score_spread", "--seed", "7"], or several of them, run one after the
  // other; files(state), where it reads some, which a shell is then told to write
  // first. A panel with two programs may also call it twice.
  function command({ words, files = () => ({}), filter = () => "", heading = "The same numbers on a terminal" }) {
    const code = element("code");
    const printed = terminal("What the program prints");
    const progress = element("progress", { max: 1, value: 0, ariaLabel: "Progress of the program" });
    const start = element("button", { type: "button" }, "Run it here");
    const stop = element("button", { type: "button" }, "Stop");
    const made = element("p", { className: "made" });
    const link = element("a", {}, "this state as a link");
    const box = element("div", { className: "command" },
      element("h3", {}, heading),
      element("pre", { className: "asked" }, code, copyButton("Copy the command", () => code.textContent)),
      element("div", { className: "row" }, start, stop, progress,
        element("span", {}, "The whole program, in this page. Or keep ", link, ".")),
      printed.box, made);
    let run;
    const idle = (text) => {
      run = null;
      progress.hidden = stop.hidden = true;
      start.disabled = false;
      if (text) say(text);
    };
    idle();
    printed.box.hidden = true;

    const commands = () => [words(state)].flat(Array.isArray(words(state)[0]) ? 1 : 0);

    start.addEventListener("click", async () => {
      const asked = commands();
      start.disabled = true;
      stop.hidden = progress.hidden = false;
      progress.removeAttribute("value");
      say("The program runs.");
      try {
        const results = [];
        for (const each of asked) {
          run = shared.programs.program(each, files(state), (share) => { progress.value = share; });
          results.push({ ...await run.result, asked: each.join(" ") });
        }
        printed.box.hidden = false;
        printed.show(results.map((each) => `$ ${each.asked}\n${each.stdout}${each.stderr}`).join("\n"));
        made.replaceChildren(...results.flatMap(({ status, files: saved }) => [`Exit status ${status}. `,
          ...Object.entries(saved).flatMap(([path, text]) => [
            element("a", { href: URL.createObjectURL(new Blob([text], { type: "text/plain" })),
              download: path.split("/").pop() }, path.split("/").pop()), " "])]));
        idle("The program has ended.");
      } catch (error) {
        printed.box.hidden = false;
        printed.show(String(error));
        idle("The program could not run.");
      }
    });
    stop.addEventListener("click", () => { run?.cancel(); idle("Stopped."); });
    onState(() => {
      const text = written(files(state)) + commands().map((each) => each.join(" ")).join("\n") + filter(state);
      if (code.textContent !== text) code.textContent = text;
      link.href = toFragment(panel.id, state, panel.defaults);
    });
    claimed ??= claims();
    section.append(box, claimed);
    return box;
  }

  // For a screen reader, once things have come to rest.
  function say(text) {
    clearTimeout(spoken);
    spoken = setTimeout(() => { live.textContent = text; }, 700);
  }

  // A job of this panel in the worker; a new one of a name ends the older. onPart
  // hears every part that it yields; the promise is of what it returns.
  function job(name, args, onPart) {
    running.get(name)?.cancel();
    const asked = shared.jobs.job(panel.id, name, args, onPart);
    running.set(name, asked);
    return asked.result;
  }
  function cancel() {
    for (const asked of running.values()) asked.cancel();
    running.clear();
  }

  return { stage, body, controls, verdicts, lab: shared.lab, set, refresh, slider, choice, toggle, button, seed, command, say, job,
    cancel, stillness: matchMedia("(prefers-reduced-motion: reduce)"),
    scheme: matchMedia("(prefers-color-scheme: dark)") };
}

// Files by their names, as a shell writes them.
const written = (files) => Object.entries(files).map(([path, text]) => `cat >${path} <<'END'\n${text}END\n`).join("");

export const isSeed = (word) => /^[1-9]\d{0,19}$/.test(word) && BigInt(word) < 2n ** 64n;

const nearest = (values, x) => values.reduce((best, value, k) =>
  Math.abs(value - x) < Math.abs(values[best] - x) ? k : best, 0);
