// Frozen head: lab/c/head_training.c trains; here it is shown.
import { line } from "d3-shape";
import { scaleLinear, scaleLog } from "d3-scale";
import { chart, heatMap, number, superscript } from "../page/draw.js";
import { element, formula, isSeed } from "../page/services.js";
import { shown, train } from "./head_training.jobs.js";

const sizes = [4, 8, 16, 32, 64, 128, 256];
const lengths = [30, 100, 200, 300];
const regimes = [{ name: "scores", text: "Without 1/√d_k", short: "without" },
  { name: "scaled", text: "With 1/√d_k", short: "with" }];
// Rows of the table: what, of one regime at one step.
const rows = [
  ["Partners found", "accuracy"], ["Loss", "loss"], ["Sure of one key", "sure"], ["Sure and wrong", "wrong"],
  ["Mean of |∂L/∂s|", "dsMean"], ["Median", "dsMedian"], ["Mean of |∂L/∂W_Q|", "dWQMean"], ["Median", "dWQMedian"],
];

export default {
  id: "head_training",
  title: "Frozen head",
  lead: "The same heads, sequences and batches, trained with the division by the root of the head size and without it, each " +
    "at its own best learning rate. Start them, and watch which rows let go of a wrong key.",
  claims: ["train.frozen", "train.gradient"],
  defaults: { seed: "1", d_k: 256, heads: 2, steps: 100, step: 0 },
  jobs: { train },

  repair(state) {
    const { defaults } = this;
    const good = { seed: isSeed(state.seed), d_k: sizes.includes(state.d_k), heads: [2, 3, 4].includes(state.heads),
      steps: lengths.includes(state.steps), step: Number.isInteger(state.step) && state.step >= 0 };
    const repaired = Object.fromEntries(Object.keys(defaults).map((key) => [key, good[key] ? state[key] : defaults[key]]));
    repaired.step = Math.min(repaired.step, repaired.steps);
    return repaired;
  },

  mount(section, state, services) {
    const { stage, body } = services;
    const start = services.button("Start", () => isRunning ? pause() : run(state.steps, true));
    const one = services.button("One step", () => run(state.step + 1));
    const back = services.button("Back to birth", () => run(0));
    services.slider({ key: "d_k", label: "Head size d_k", values: sizes });
    services.slider({ key: "heads", label: "Heads in each regime", values: [2, 3, 4] });
    services.slider({ key: "steps", label: "Steps of gradient descent", values: lengths });
    services.seed();
    services.command({ words: (s) => ["bin/head_training", "--seed", s.seed, "--head-size", String(s.d_k), "--trials",
      String(s.heads), "--followed", "1", "--tuning", "1", "--steps", String(s.steps)] });

    const words = element("span");
    const progress = element("progress", { max: 1, value: 0, ariaLabel: "Progress of the training" });
    const maps = element("div", { className: "charts" });
    stage.append(element("p", { className: "note" },
      `Weights of a head on ${shown} sequences: a row is one query's, its partner is token 1, in the frame.`), maps,
    element("div", { className: "row status" }, words, progress));
    const weightCharts = regimes.map(({ text }, scaled) => {
      const made = chart(maps, { height: 258, title: formula(text).innerHTML, margin: { left: 40, right: 4 }, redraw: () => showWeights(scaled) });
      made.image = heatMap(made);
      made.frame = made.over.append("rect").attr("class", "partner");
      return made;
    });

    const table = element("table", { className: "numbers" }, element("caption", {}, ""), element("thead", {},
      element("tr", {}, element("td"), ...regimes.map(({ text, name }) => element("th", { scope: "col", className: name }, formula(text))))),
    element("tbody", {}, ...rows.map(([text]) => element("tr", {}, element("th", { scope: "row" }, formula(text)),
      element("td"), element("td")))));
    const curves = element("div", { className: "charts" });
    body.append(curves, element("p", { className: "note" }, "A few heads show it, and are too few to tell: the published run " +
      "trains 48, with six others to choose the rates."));
    const x = scaleLinear();
    const figures = [
      { title: "Partners found", of: ["accuracy"], y: scaleLinear([0, 1.02], [1, 0]), label: "share", isRising: true },
      { title: "Loss", of: ["loss"], y: scaleLinear([0, 2.2], [1, 0]), label: "loss" },
      { title: "Rows sure of one key (<i>a</i> &gt; 0.999)", of: ["sure"], y: scaleLinear([0, 1.02], [1, 0]), label: "share", isRising: true },
      { title: "Gradient of a row's scores, |∂<i>L</i>/∂<i>s</i>|", of: ["dsMedian", "dsMean"], y: scaleLog([1e-12, 1], [1, 0]).clamp(true),
        label: "median; dashed: mean", values: [1e-12, 1e-9, 1e-6, 1e-3, 1],
        format: (x) => `10${superscript(Math.round(Math.log10(x)))}` },
    ].map((each) => {
      const made = { ...each, chart: chart(curves, { height: 220, title: each.title, margin: { left: 60 }, redraw: () => showCurves() }) };
      made.theory = made.chart.plot.append("path").attr("class", "theory");
      made.lines = regimes.map(({ name }) => each.of.map((_, k) => made.chart.plot.append("path")
        .attr("class", `curve ${name}${k ? " mean" : ""}`)));
      made.labels = regimes.map(({ name }) => made.chart.over.append("text").attr("class", `label ${name}`)
        .attr("text-anchor", "end"));
      return made;
    });
    const rates = chart(curves, { height: 240, title: "Choosing the rates", margin: { left: 60 },
      redraw: () => showRates() });
    curves.append(element("div", { className: "chart" }, table));

    let history = [], weights = null, grid = [], isRunning = false, asked = "";
    services.scheme.addEventListener("change", () => { showWeights(0); showWeights(1); });

    // ---- figures ----

    function showWeights(scaled) {
      const c = weightCharts[scaled];
      if (!c.width || !weights) return;
      const side = Math.min(c.width, c.height), u = scaleLinear([-0.5, shown - 0.5], [0, side]);
      if (c.side !== side) {
        c.setAxes({ x: u, y: scaleLinear([-0.5, shown - 0.5], [0, side]), xLabel: "token of the sequence", yLabel: "sequence" });
        c.axes.select(".label").attr("x", side / 2);
        c.axes.select(".grid").remove();
        c.frame.attr("x", u(0.5)).attr("width", u(1.5) - u(0.5)).attr("height", side);
        c.side = side;
      }
      // Orange without the division, blue with it, as everywhere.
      c.image(scaled ? weights[1] : weights[0].map((a) => -a), shown, 1, side);
      let sure = 0, wrong = 0;
      for (let k = 0; k < shown * shown; k++) if (weights[scaled][k] > 0.999) (k % shown === 1 ? sure++ : wrong++);
      c.describe(`Weights ${regimes[scaled].short} the division after ${history.length - 1} steps: of ${shown} queries ` +
        `${sure} are sure of their partner, ${wrong} of a wrong key.`);
    }

    function axes({ chart: c, y, label, values, format, theory, title }) {
      if (c.axesOf === `${state.steps} ${c.width}`) return;
      c.axesOf = `${state.steps} ${c.width}`;
      y.range([c.height, 0]);
      x.domain([0, state.steps]).range([0, c.width]);
      c.setAxes({ x, y, xLabel: "steps", yLabel: label, xTicks: 5, yValues: values, yFormat: format });
      theory.attr("d", title === "Partners found" ? `M0,${y(1 / 16)}H${c.width}` : null);
    }

    function showCurves() {
      for (const each of figures) {
        const { chart: c, of, y, lines, labels, title, isRising } = each;
        if (!c.width) continue;
        axes(each);
        x.domain([0, state.steps]).range([0, c.width]);
        regimes.forEach((_, scaled) => {
          of.forEach((key, k) => lines[scaled][k].attr("d", line((_, step) => x(step), (now) => y(now[scaled][key]))(history)));
        });
        if (!history.length) continue;
        const last = history.length - 1, here = regimes.map((_, scaled) => y(history[last][scaled][of[0]]));
        // Where a curve comes from is not where it is named, nor where the other is.
        const isClose = Math.abs(here[0] - here[1]) < 20;
        labels.forEach((label, scaled) => {
          const isAbove = isClose ? here[scaled] < here[1 - scaled] || (here[0] === here[1] && scaled === 1) : isRising;
          const low = here[scaled] + 16, high = here[scaled] - 8;
          label.text(regimes[scaled].short).attr("x", Math.max(52, x(last) - 4))
            .attr("y", (isAbove && high > 10) || low > c.height ? high : low);
        });
        c.describe(`${title.replace(/<[^>]*>|&gt;/g, "")} after ${last} steps: ${regimes.map(({ short }, scaled) =>
          `${short} the division ${digits(history[last][scaled][of[0]])}`).join(", ")}.`);
      }
    }

    function showRates() {
      if (!rates.width) return;
      const u = scaleLog([0.007, 14], [0, rates.width]), v = scaleLinear([0, 1.05], [rates.height, 0]);
      rates.setAxes({ x: u, y: v, xLabel: "learning rate", yLabel: `found after ${state.steps} steps`, xFormat: "~g", xTicks: 4 });
      rates.plot.selectAll("circle").data(grid).join("circle").attr("cx", ({ rate }) => u(rate)).attr("cy", ({ accuracy }) => v(accuracy))
        .attr("r", ({ chosen }) => chosen ? 7 : 4).attr("class", ({ scaled, chosen }) => `dot ${regimes[scaled].name}${chosen ? " now" : ""}`);
      rates.describe("Accuracy by learning rate. " + grid.filter(({ chosen }) => chosen).map(({ scaled, rate }) =>
        `The best ${regimes[scaled].short} the division is ${rate}`).join(", ") + ".");
    }

    function showTable() {
      const last = history.at(-1);
      table.caption.textContent = last ? `After ${history.length - 1} steps` : "";
      rows.forEach(([, key], k) => regimes.forEach((_, scaled) => {
        table.tBodies[0].rows[k].cells[1 + scaled].textContent = last ? digits(last[scaled][key]) : "";
      }));
    }

    function showAll() {
      showWeights(0);
      showWeights(1);
      showCurves();
      showTable();
    }

    // ---- training ----

    function buttons() {
      start.textContent = isRunning ? "Pause" : "Start";
      start.disabled = !isRunning && state.step >= state.steps;
      one.disabled = isRunning || state.step >= state.steps;
      back.disabled = isRunning || state.step === 0;
    }

    function take(part) {
      if (part.tuned) {
        words.textContent = "Choosing each regime's learning rate: ten heads each…";
        progress.value = part.tuned;
      } else if (part.share && !part.history) progress.value = part.share;
      if (!part.history) return;
      history = [...history.slice(0, part.from), ...part.history];
      weights = part.weights;
      if (part.grid !== grid.text) {
        grid = Object.assign(gridOf(part.grid), { text: part.grid });
        showRates();
      }
      services.set({ step: history.length - 1 });
      words.textContent = `Step ${state.step} of ${state.steps}; learning rates ${part.rates[0]} without, ${part.rates[1]} with.`;
      services.verdicts.show(part.lines);
    }

    const keyOf = () => JSON.stringify([state.seed, state.d_k, state.heads, state.steps]);

    function run(to, isToBeWatched = false) {
      const key = keyOf();
      if (key !== asked || to < history.length - 1) history = [];
      asked = key;
      isRunning = isToBeWatched;
      progress.hidden = false;
      progress.value = 0;
      buttons();
      // Where motion is unwanted, only the end is seen.
      const paced = isToBeWatched && !services.stillness.matches;
      services.job("train", { ...state, to, paced }, take).then((part) => {
        isRunning = false;
        progress.hidden = true;
        take(part);
        buttons();
        const last = history.at(-1);
        services.say(`After ${state.step} steps the heads without the division find ${digits(last[0].accuracy)} of the partners, ` +
          `with it ${digits(last[1].accuracy)}.`);
      }, (error) => {
        isRunning = false;
        progress.hidden = true;
        words.textContent = String(error);
        buttons();
      });
    }

    function pause() {
      services.cancel();
      isRunning = false;
      progress.hidden = true;
      services.set({ step: state.step });
      buttons();
      services.say(`Paused after ${state.step} steps.`);
    }

    return { update() {
      // Other heads, or a link to another step of these.
      if (keyOf() !== asked) run(state.step);
      else if (!isRunning && progress.hidden && state.step !== history.length - 1) run(state.step);
      buttons();
      if (history.length) showAll();
    }, leave() {
      if (isRunning) isRunning = false;
      asked = "";
    } };
  },
};

// The block "grid" of the .dat file.
function gridOf(text) {
  const [names, ...values] = text.split("\n").filter((each) => each && !each.startsWith("#")).map((each) => each.trim().split(/\s+/));
  return values.map((row) => Object.fromEntries(names.map((name, k) => [name, Number(row[k])])));
}

const digits = (x) => number(x, x && Math.abs(x) < 1e-3 ? 3 : 4);
