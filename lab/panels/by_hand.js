// By hand: lab/c/worked_example.c makes the moves on a reader's own numbers,
// lab/c/lookup_table.c goes through the gaps; here they are shown.
import { line } from "d3-shape";
import { extent } from "d3-array";
import { scaleLinear } from "d3-scale";
import { format } from "d3-format";
import { chart } from "../page/draw.js";
import { element, isSeed } from "../page/services.js";
import { compose, dictionary, fileOf, fit, isName, isNumber, limits, movesOf, parse } from "./by_hand.jobs.js";

const scales = [["root", "1/√d"], ["1", "1"], ["0.25", "1/4"], ["2", "2"], ["10", "10"]];
const sizes = [2, 3, 5, 10, 20, 50];
const minus = (text) => text.replace(/-/g, "−");

// So many digits, the power of ten as one.
const digits = (x, n = 4) => x === 0 ? "0, exactly" : minus(String(Number(x.toPrecision(n)))).replace(/e([−+]?\d+)/, (_, power) => "\u00a0×\u00a010" +
  [...power].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] ?? "⁻").join(""));

// A weight by its distance from 1, in a double.
const weightOf = (stair) => stair === 0 ? "1, exactly" : stair < 1e-6 ? `1 − ${digits(stair, 3)}` : (1 - stair).toPrecision(6);

// The program's text, e^-1 with a power.
const raised = (text) => text.split(/e\^(-?[\d.]+(?:e[-+]\d+)?|s)/).flatMap((part, k) =>
  k % 2 ? ["e", element("sup", {}, minus(part))] : [minus(part)]);

export default {
  id: "by_hand",
  title: "By hand",
  lead: "The lecture's sentence, move by move as on the board: change any number, and every move follows. Below, a layer that is a " +
    "lookup table: exact where it saturates, and there no gradient passes.",
  claims: ["example.scores", "example.weights", "example.output", "weights.distribution", "output.hull", "lookup.exact"],
  defaults: { seed: "1", example: "hungry 2 0 0 0*the -1 0 0 0_0 0*cat 2 0 0 0_1 0*was 0 1 0 0_0 1*hungry 0 0 1 0_0 1", d_k: 4, d_v: 2,
    scale: "root", gap: 5, keys: 10 },
  jobs: { dictionary },

  repair(state) {
    const { defaults } = this;
    const within = (value, most) => Number.isInteger(value) && value >= 1 && value <= most;
    const good = { seed: isSeed(state.seed), example: true, d_k: within(state.d_k, limits.d_k), d_v: within(state.d_v, limits.d_v),
      scale: scales.some(([each]) => each === state.scale), gap: state.gap >= 0 && state.gap <= 760, keys: sizes.includes(state.keys) };
    const repaired = Object.fromEntries(Object.keys(defaults).map((key) => [key, good[key] ? state[key] : defaults[key]]));
    repaired.example = fit(repaired.example, repaired.d_k, repaired.d_v) ?? fit(defaults.example, repaired.d_k, repaired.d_v);
    return repaired;
  },

  mount(section, state, services) {
    const { lab, stage, body, controls } = services;
    const gaps = Array.from({ length: lab.lookup_gaps() }, (_, i) => lab.lookup_gap(i));
    const group = (title) => controls.append(element("h3", {}, title));
    group("The example");
    services.slider({ key: "d_k", label: "Numbers of a key d_k", min: 1, max: limits.d_k });
    services.slider({ key: "d_v", label: "Numbers of a value d_v", min: 1, max: limits.d_v });
    services.choice({ key: "scale", label: "Products are multiplied by", options: scales });
    const { example, d_k, d_v, scale } = this.defaults;
    services.button("The lecture's numbers", () => services.set({ example, d_k, d_v, scale }));
    group("The lookup table");
    services.slider({ key: "gap", label: "Score gap b", values: gaps });
    services.slider({ key: "keys", label: "Keys n", values: sizes });
    services.seed();
    services.command({ heading: "The same moves on a terminal", words: (s) => ["bin/worked_example", "--seed", s.seed, "--input", "example.txt"],
      files: (s) => ({ "example.txt": fileOf(s) }) });
    services.command({ heading: "The lookup table on a terminal", words: (s) => ["bin/lookup_table", "--seed", s.seed, "--keys", String(s.keys),
      "--trials", "1"] });

    // ---- the example ----

    const editor = editorOf(services);
    const upper = element("div", { className: "charts" });
    stage.append(editor.box, upper);
    let drawn = {}, made = null, table = null;
    const redraw = () => { drawn = {}; show(); };
    const weights = chart(upper, { height: 220, title: "Weights", redraw });
    const plane = chart(upper, { height: 220, title: "The output among the values", margin: { left: 44, right: 24, top: 20 }, redraw });
    const steps = element("ol", { className: "moves" });

    // The moves that the program makes on that file.
    function make() {
      const file = "example.txt", path = lab.putText(file);
      lab.files.set(file, new TextEncoder().encode(fileOf(state)));
      const status = lab.moves_read(path);
      lab.free(path);
      if (status) throw new Error(lab.text(lab.moves_error()) || `GSL status ${status}`);
      const { query, keys } = parse(state.example);
      return { query, keys, moves: movesOf(lab.text(lab.moves_text())), lines: lab.text(lab.moves_lines()),
        weights: [...lab.doubles(lab.moves_weights(), keys.length)], output: [...lab.doubles(lab.moves_output(), state.d_v)] };
    }

    function showSteps({ moves }) {
      while (steps.children.length > moves.length) steps.lastChild.remove();
      moves.forEach(({ title, lines }, k) => {
        const text = title.replace(/^\d+\. /, "");
        const rows = lines.map(({ left, working, result }) => element("tr", {}, left ? element("th", { scope: "row" }, left) : element("td"),
          element("td", {}, ...raised(working.replace(/\*/g, "·").replace(/\)\(/g, ")\u2060("))), element("td", {}, ...raised(result))));
        const step = element("li", {}, element("h4", {}, ...raised(text.replace("<q, k>", "⟨q, k⟩").replace(/sqrt\((\d+)\)/, "√$1"))),
          element("table", {}, element("tbody", {}, ...rows)));
        if (steps.children[k]?.textContent === step.textContent) return;
        steps.children[k] ? steps.children[k].replaceWith(step) : steps.append(step);
      });
    }

    function showWeights({ keys, weights: a }) {
      const n = keys.length, x = scaleLinear([0.5, n + 0.5], [0, weights.width]), y = scaleLinear([0, 1], [weights.height, 0]);
      const asked = [weights.width, ...keys.map(({ name }) => name)].join();
      if (drawn.weights !== asked) {
        const room = weights.width / n / 7.5; // letters
        weights.setAxes({ x, y, xValues: a.map((_, j) => j + 1), xLabel: "key", yTicks: 5,
          xFormat: (j) => keys[j - 1].name.length > room ? keys[j - 1].name.slice(0, Math.max(1, room - 1)) + "…" : keys[j - 1].name });
        drawn.weights = asked;
      }
      const thick = (x(2) - x(1)) * 0.7;
      weights.plot.selectAll("rect").data(a).join("rect").attr("class", "bars scaled").attr("x", (_, j) => x(j + 1) - thick / 2)
        .attr("width", thick).attr("y", y).attr("height", (w) => weights.height - y(w));
      weights.over.selectAll("text").data(n > 6 && weights.width < 300 ? [] : a).join("text").attr("text-anchor", "middle")
        .attr("x", (_, j) => x(j + 1)).attr("y", (w) => Math.max(10, y(w) - 6)).text((w) => w.toPrecision(3));
      weights.describe(`Weights: ${keys.map(({ name }, j) => `${name} ${a[j].toPrecision(4)}`).join(", ")}.`);
    }

    // The first two numbers of the values, or one against nothing.
    function showPlane({ query, keys, weights: a, output }) {
      const at = (numbers) => [Number(numbers[0]), state.d_v > 1 ? Number(numbers[1]) : 0];
      const places = new Map(); // words by where their value is
      keys.forEach(({ name, value }, j) => {
        const place = places.get(at(value).join()) ?? { at: at(value), names: [], weight: 0 };
        places.set(at(value).join(), { ...place, names: [...place.names, name], weight: place.weight + a[j] });
      });
      const values = [...places.values()];
      const span = (k) => { const [low, high] = extent([...values.map((v) => v.at[k]), 0]); const pad = (high - low || 1) * 0.12; return [low - pad, high + pad]; };
      const x = scaleLinear(span(0), [0, plane.width]), y = scaleLinear(state.d_v > 1 ? span(1) : [-1, 1], [plane.height, 0]);
      const asked = [plane.width, state.d_v, x.domain(), y.domain()].join();
      if (drawn.plane !== asked) {
        plane.setAxes({ x, y, xTicks: 4, yTicks: 4, xLabel: "first number", yLabel: state.d_v > 1 ? "second number" : "",
          yValues: state.d_v > 1 ? null : [], yFormat: state.d_v > 1 ? undefined : String });
        drawn.plane = asked;
      }
      const o = at(output), ends = ([v, w]) => `M${x(v.at[0])},${y(v.at[1])}L${x(w[0])},${y(w[1])}`;
      plane.plot.selectAll("path").data(values).join("path").attr("class", "pull").attr("d", (v) => ends([v, o]))
        .attr("stroke-width", (v) => 10 * v.weight);
      plane.over.selectAll("circle").data([...values.map((v) => ({ at: v.at, name: "value" })), { at: o, name: "output" }]).join("circle")
        .attr("class", ({ name }) => name).attr("r", ({ name }) => name === "value" ? 5 : 7).attr("cx", (v) => x(v.at[0])).attr("cy", (v) => y(v.at[1]));
      plane.over.selectAll("text").data([...values.map((v) => [v.at, v.names.join(", ")]), [o, `o ${query.name}`]]).join("text")
        .attr("class", (_, k) => k === values.length ? "asks" : "").attr("x", ([[u]]) => Math.min(Math.max(x(u), 8), plane.width))
        .attr("y", ([[, v]], k) => y(v) + (k === values.length ? 22 : -10)).attr("text-anchor", ([[u]]) => x(u) > plane.width / 2 ? "end" : "start").text(([, text]) => text);
      plane.describe(`Values and the output: ${values.map((v) => `${v.names.join(" and ")} at ${v.at.slice(0, state.d_v).join(", ")}`).join("; ")}; ` +
        `output at ${output.map((v) => v.toPrecision(4)).join(", ")}.`);
    }

    // ---- the lookup table ----

    const lower = element("div", { className: "charts" });
    const readout = element("dl", { className: "readout" });
    const legend = element("p", { className: "key" }, element("span", { className: "one" }, "● 1 − weight"), " ",
      element("span", { className: "many" }, "● tr J"), " lines: the law; thin: 1 − weight as a double has it");
    body.append(element("h3", {}, "Move by move"), steps, element("h3", {}, "A lookup table: error and gradient fall together"), legend, lower, readout);
    const near = chart(lower, { height: 280, title: "Where the weight becomes 1", margin: { left: 52 }, redraw });
    const far = chart(lower, { height: 280, title: "As far as a double reaches", margin: { left: 52 }, redraw });
    const views = [{ c: near, reach: 60, low: -24, powers: [-20, -16, -12, -8, -4, 0] },
      { c: far, reach: 780, low: -330, powers: [-300, -240, -180, -120, -60, 0] }];
    const power = (v) => v === 0 ? "1" : "10" + [...String(v)].map((d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d] ?? "⁻").join("");

    function showTable() {
      const point = table?.points.find(({ b }) => b === state.gap);
      const [rest, trace, frobenius] = lab.doubles(lab.lookup_law(state.keys, state.gap), 3);
      for (const { c, reach, low, powers } of views) {
        const zero = low * 1.04; // the row of exact zeros
        const x = scaleLinear([0, reach], [0, c.width]), y = scaleLinear([zero * 1.03, 1], [c.height, 0]);
        const height = (v) => y(v > 0 ? Math.max(Math.log10(v), low) : zero);
        const asked = [c.width, state.keys, table === null].join();
        if (drawn[low] !== asked) {
          c.setAxes({ x, y, xTicks: 6, xLabel: "score gap b", yValues: [zero, ...powers], yFormat: (v) => v === zero ? "0" : power(v) });
          const bs = Array.from({ length: 241 }, (_, k) => k * reach / 240);
          const laws = bs.map((b) => { const [r, t] = lab.doubles(lab.lookup_law(state.keys, b), 2); return { b, rest: r, trace: t }; });
          const curve = (what) => line((p) => x(p.b), (p) => height(p[what]));
          const law = (what) => curve(what)(laws.filter((p) => Math.log10(p[what]) >= low));
          const ends = table ? (c === near ? [[table.one, "weight = 1"]] : [[table.zero, "others = 0"]]) : [];
          c.plot.selectAll("path").data([["law rest", law("rest")], ["law trace", law("trace")],
            ...ends.map(([b]) => ["frozen", `M${x(b)},0V${c.height}`]),
            ...(table && c === near ? [["stair", curve("stair")(stairs(table, reach))]] : [])])
            .join("path").attr("class", ([name]) => name).attr("d", ([, d]) => d);
          c.over.selectAll("text").data(ends).join("text").attr("text-anchor", "end").attr("x", ([b]) => x(b) - 6).attr("y", c.height - 26)
            .text(([b, text]) => `${text} from b = ${Number(b.toPrecision(5))}`);
          drawn[low] = asked;
        }
        c.over.selectAll("circle").data(state.gap > reach ? [] : [["rest", point?.rest ?? rest], ["trace", point?.trace ?? trace]]).join("circle")
          .attr("class", ([name]) => `at ${name}`).attr("r", (_, k) => k ? 4 : 6).attr("cx", x(state.gap)).attr("cy", ([, v]) => height(v));
        c.describe(`Error and trace of the Jacobian against the score gap, to ${reach}: at gap ${state.gap} the error is ` +
          `${digits(point?.rest ?? rest)}, the trace ${digits(point?.trace ?? trace)}.`);
      }
      tell([["gap b", String(state.gap), ""], ["weight", point ? weightOf(point.stair) : "", "of the right key"],
        ["error 1 − weight", point ? digits(point.rest) : "", `predicted ${digits(rest)}`],
        ["tr J", point ? digits(point.trace) : "", `predicted ${digits(trace)}`],
        ["‖J‖ Frobenius", point ? digits(point.frobenius) : "", `predicted ${digits(frobenius)}`],
        ["output − dictionary", point ? digits(point.off) : "", "largest, over max |V|"]]);
    }

    // 1 - weight in a double, which steps down from half a unit, 2^-53, to 0.
    function stairs({ points, one }, reach) {
      return [...points.filter(({ b }) => b < one), { b: one, stair: 2 ** -53 }, { b: one, stair: 0 }, { b: reach, stair: 0 }];
    }

    function tell(facts) {
      if (readout.childElementCount !== facts.length)
        readout.replaceChildren(...facts.map(([name]) => element("div", {}, element("dt", {}, name), element("dd"), element("dd"))));
      facts.forEach(([, value, beside], k) => {
        readout.children[k].children[1].textContent = value;
        readout.children[k].children[2].textContent = beside;
      });
    }

    // ---- both ----

    function show() {
      if (!made || !weights.width || !plane.width || !near.width || !far.width) return;
      showWeights(made);
      showPlane(made);
      showTable();
    }

    let last = {};
    return { update() {
      const own = [state.example, state.scale].join(), asked = [state.seed, state.keys].join();
      if (last.own !== own) {
        editor.show(state);
        made = make();
        showSteps(made);
        services.verdicts.show(made.lines);
        if (last.own) services.say(`Output ${made.output.map((v) => v.toPrecision(3)).join(", ")}; the largest weight is ` +
          `${Math.max(...made.weights).toPrecision(3)}, of ${made.keys[made.weights.indexOf(Math.max(...made.weights))].name}.`);
      }
      if (last.asked !== asked) {
        table = null;
        drawn = {};
        services.job("dictionary", { seed: state.seed, n: state.keys }).then((whole) => { table = whole; drawn = {}; services.refresh(); });
      }
      if (last.gap !== undefined && last.gap !== state.gap) {
        const [rest, trace] = lab.doubles(lab.lookup_law(state.keys, state.gap), 2);
        services.say(`Gap ${state.gap}: error ${digits(rest, 3)}, trace of the Jacobian ${digits(trace, 3)}.`);
      }
      last = { own, asked, gap: state.gap };
      show();
    }, leave() { last = { ...last, asked: "" }; } };
  },
};

// A row for the query and for each key, every number in a field.
function editorOf({ set }) {
  const box = element("div", { className: "editor" });
  const add = element("button", { type: "button" }, "Add a key");
  const rows = element("div", { className: "rows" });
  box.append(rows, add);
  let shape = "", example;

  const field = (label, value, isWord) => {
    const input = element("input", { type: isWord ? "text" : "number", value, ariaLabel: label, autocomplete: "off", spellcheck: false,
      className: isWord ? "word" : "" });
    if (isWord) input.maxLength = 12;
    else Object.assign(input, { step: "any", min: -999, max: 999 });
    return input;
  };
  function build() {
    const row = ({ name, numbers, value }, k) => {
      const who = k === 0 ? "query" : `key ${k}`;
      const group = (letter, title, of, what) => element("span", { className: "vector" }, element("i", { ariaHidden: "true" }, letter),
        ...of.map((number, c) => Object.assign(field(`${title}, number ${c + 1}`, number, false), { what })));
      const made = element("fieldset", {}, element("legend", { className: "unseen" }, who), field(`Word of the ${who}`, name, true),
        group(k === 0 ? "q" : "k", who, numbers, "numbers"));
      if (!value) return made;
      const remove = element("button", { type: "button", ariaLabel: `Remove key ${k}`, disabled: example.keys.length === 1 }, "×");
      remove.addEventListener("click", () => { change((all) => all.keys.splice(k - 1, 1)); add.focus(); });
      made.append(group("v", `value ${k}`, value, "value"), remove);
      return made;
    };
    rows.replaceChildren(...[example.query, ...example.keys].map(row));
    add.disabled = example.keys.length >= limits.keys;
  }
  const change = (how) => {
    const copy = structuredClone(example);
    how(copy);
    example = copy; // before the next frame, which shows it
    set({ example: compose(copy) });
  };
  add.addEventListener("click", () => change(({ query, keys }) => keys.push({ name: `word${keys.length + 1}`,
    numbers: query.numbers.map(() => "0"), value: keys[0].value.map(() => "0") })));
  rows.addEventListener("input", ({ target }) => {
    const isGood = target.className === "word" ? isName(target.value) : isNumber(target.value);
    target.setAttribute("aria-invalid", !isGood);
    if (!isGood) return;
    const k = [...rows.children].indexOf(target.closest("fieldset"));
    change(({ query, keys }) => {
      const row = k === 0 ? query : keys[k - 1];
      if (target.className === "word") row.name = target.value;
      else row[target.what][[...target.parentNode.querySelectorAll("input")].indexOf(target)] = target.value;
    });
  });

  return { box, show(state) {
    example = parse(state.example);
    const now = [example.keys.length, state.d_k, state.d_v].join();
    if (shape !== now) build();
    shape = now;
    const values = [example.query, ...example.keys].flatMap(({ name, numbers, value = [] }) => [name, ...numbers, ...value]);
    rows.querySelectorAll("input").forEach((input, k) => {
      if (input === document.activeElement) return;
      if (input.value !== values[k]) input.value = values[k];
      input.removeAttribute("aria-invalid");
    });
  } };
}
