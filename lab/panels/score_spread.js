// Score spread: lab/c/score_spread.c draws; here it is shown.
import { line, area, curveStepAfter } from "d3-shape";
import { scaleLinear, scaleLog } from "d3-scale";
import { format } from "d3-format";
import { chart, dk, errorBars } from "../page/draw.js";
import { element, formula, isSeed } from "../page/services.js";
import { grow, laws } from "./score_spread.jobs.js";

const sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
const numbers = [100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000];
const variances = [0.25, 0.5, 0.8, 0.9, 1, 1.1, 1.2, 1.5, 2, 3, 4];

export default {
  id: "score_spread",
  title: "Score spread",
  lead: "Entries of mean 0 and variance 1 make scores that spread like the square root of the head size. Drag it, " +
    "and watch which of the two histograms notices.",
  claims: ["spread.variance", "spread.scaled", "spread.mean", "spread.universal", "spread.hypotheses"],
  defaults: { seed: "1", d_k: 64, pairs: 20000, entries: "normal", variance: 1, correlation: 0 },
  jobs: { grow },

  // A state that the program takes, whatever a link says.
  repair(state) {
    const { defaults } = this;
    const good = {
      seed: isSeed(state.seed), d_k: Number.isInteger(state.d_k) && state.d_k >= 1 && state.d_k <= 1024,
      pairs: Number.isInteger(state.pairs) && state.pairs >= 2 && state.pairs <= 1e6,
      entries: laws.includes(state.entries), variance: state.variance >= 0.25 && state.variance <= 4,
      correlation: Math.abs(state.correlation) <= 1,
    };
    const repaired = Object.fromEntries(Object.keys(defaults).map((key) => [key, good[key] ? state[key] : defaults[key]]));
    if (repaired.entries !== "normal") repaired.correlation = 0;
    return repaired;
  },
  disabled: ({ entries }) => entries === "normal" ? [] : ["correlation"],

  mount(section, state, services) {
    const { stage, body } = services;
    services.slider({ key: "d_k", label: "Head size d_k", values: sizes });
    services.slider({ key: "pairs", label: "Pairs N", values: numbers, format: format(",") });
    services.choice({ key: "entries", label: "Law of the entries", options: laws.map((law) => [law,
      { rademacher: "Rademacher: −1 or 1", laplace: "Laplace", student8: "Student t, 8 degrees" }[law] ?? law]) });
    services.slider({ key: "variance", label: "Variance of an entry", values: variances });
    services.slider({ key: "correlation", label: "Correlation of q_j and k_j", min: -1, max: 1, step: 0.05,
      format: (x) => x.toFixed(2).replace("-", "−") });
    services.seed();
    services.button("Draw it slowly", () => sample(true));
    services.command({ words: (s) => ["bin/score_spread", "--seed", s.seed, "--head-sizes", String(s.d_k),
      "--pairs", String(s.pairs), ...(s.entries === "normal" ? [] : ["--entries", s.entries]),
      ...(s.variance === 1 ? [] : ["--variance", String(s.variance)]),
      ...(s.correlation === 0 ? [] : ["--correlation", String(s.correlation)])] });

    const row = element("div", { className: "charts" });
    const readout = element("dl", { className: "readout" });
    const lower = element("div", { className: "charts" });
    stage.append(row);
    body.append(lower, readout);

    let shown = null; // the newest part
    const seen = new Map(); // last sd of each head size, at these other settings
    let settings = "";
    const draw = { redraw: () => { axes(); show(); } };
    const histograms = [
      { title: `Scores ⟨<i>q</i>, <i>k</i>⟩`, name: "scores", span: 100, unit: () => 1, label: "score" },
      { title: `Divided by √<i>d</i><sub>k</sub>`, name: "scaled", span: 5, unit: (d) => Math.sqrt(d),
        label: `score / √${dk}` },
    ].map((each) => {
      const made = { ...each, chart: chart(row, { height: 230, margin: { left: 12 }, title: each.title, ...draw }) };
      const { plot } = made.chart;
      made.bars = plot.append("path").attr("class", `bars ${each.name}`);
      made.curve = plot.append("path").attr("class", "theory");
      return made;
    });
    const spread = chart(lower, { height: 240, title: "Standard deviation", ...draw });
    const near = chart(lower, { height: 240, title: "Divided by √<i>d</i><sub>k</sub>, magnified",
      margin: { left: 56 }, ...draw });
    const x = scaleLog().base(2).domain([0.8, 1280]), y = scaleLog().domain([0.4, 80]), z = scaleLinear([0.9, 1.1], [1, 0]);
    let reach = 0; // z is 1 - reach to 1 + reach

    function axes() {
      for (const { chart: c, span, label } of histograms) {
        const scale = scaleLinear([-span, span], [0, c.width]);
        if (c.width) c.setAxes({ x: scale, xLabel: label });
      }
      if (!spread.width) return;
      x.range([0, spread.width]);
      y.range([spread.height, 0]);
      spread.setAxes({ x, y, xLabel: `head size ${dk}`, yLabel: "standard deviation", xFormat: String,
        yFormat: String, yValues: [0.5, 1, 2, 5, 10, 20, 50] });
      const theory = line(([a]) => x(a), ([, b]) => y(b));
      spread.plot.selectAll("path.theory").data([[[0.8, Math.sqrt(0.8)], [1280, Math.sqrt(1280)]], [[0.8, 1], [1280, 1]]])
        .join("path").attr("class", "theory").attr("d", theory);
      spread.over.selectAll("text").data([[6, Math.sqrt(6), `√${dk}`, -10], [400, 1, "1", -8]]).join("text")
        .attr("class", "label").attr("x", ([a]) => x(a)).attr("y", ([, b, , up]) => y(b) + up)
        .attr("text-anchor", "end").html(([, , text]) => text);
      reach = 0;
    }

    // Four standard errors either way, or as far as the farthest sample needs.
    function magnify() {
      if (!near.width) return;
      const wanted = Math.max(...[...seen.values()].map((each) =>
        Math.max(4.5 * each.scaled_se, Math.abs(each.scaled - 1) + 1.5 * each.scaled_se)));
      const round = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find((each) => each >= wanted) ?? Math.ceil(wanted);
      if (round !== reach) {
        reach = round;
        z.domain([1 - reach, 1 + reach]).range([near.height, 0]);
        near.setAxes({ x: x.copy().range([0, near.width]), y: z, xLabel: `head size ${dk}`, yLabel: "± one standard error",
          xFormat: String });
        near.plot.selectAll("path.theory").data([1]).join("path").attr("class", "theory")
          .attr("d", `M0,${z(1)}H${near.width}`);
      }
    }

    function show() {
      if (!shown?.row) return;
      const { d_k, N, row: of, bins, counts } = shown;
      const mean = Number(of.mean_predicted), sd = Number(of.sd_predicted);
      for (const { chart: c, bars, curve, span, unit, name } of histograms) {
        if (!c.width) continue;
        const u = unit(d_k), px = scaleLinear([-span, span], [0, c.width]);
        // As high as the normal curve of the prediction, whatever the head size.
        const peak = N * bins.width / (sd * Math.sqrt(2 * Math.PI));
        const py = (density) => c.height - density * c.height / 1.25;
        const at = (k) => px((bins.origin + k * bins.width) / u);
        bars.attr("d", area((_, k) => at(k), c.height, (n) => py(n / peak)).curve(curveStepAfter)(counts));
        const points = Array.from({ length: 121 }, (_, k) => (k - 60) / 15);
        curve.attr("d", line((z) => px((mean + z * sd) / u), (z) => py(Math.exp(-z * z / 2)))(points));
        c.describe(`Histogram of ${N} ${name === "scores" ? "scores" : "scores divided by the root of the head size"}: ` +
          `standard deviation ${name === "scores" ? of.sd : of.scaled}.`);
      }
      magnify();
      for (const [c, name, scale, sd_, se] of [[spread, "scores", y, "sd", "sd_se"],
        [spread, "scaled", y, "scaled", "scaled_se"], [near, "scaled", z, "scaled", "scaled_se"]]) {
        if (!c.width) continue;
        const px = x.copy().range([0, c.width]);
        errorBars(c.plot, [...seen].map(([d, each]) => ({ x: px(d), now: d === d_k, y: scale(each[sd_]),
          low: scale(each[sd_] - each[se]), high: scale(Number(each[sd_]) + Number(each[se])) })), name);
        c.plot.selectAll(`g.${name}`).classed("now", ({ now }) => now);
      }
      near.describe(`Divided by the root, at head size ${d_k}: ${of.scaled} plus or minus ${of.scaled_se}.`);
      spread.describe(`At head size ${d_k} the scores have standard deviation ${of.sd}, ` +
        `divided by its root ${of.scaled}.`);
      services.verdicts.show(shown.lines);
      tell([["pairs drawn", format(",")(N), ""],
        ["sd of the scores", `${digits(of.sd)} ± ${digits(of.sd_se, 2)}`, `predicted ${digits(of.sd_predicted)}`],
        ["divided by √d_k", `${digits(of.scaled)} ± ${digits(of.scaled_se, 2)}`,
          `predicted ${digits(of.scaled_predicted)}`],
        ["mean", `${digits(of.mean)} ± ${digits(of.mean_se, 2)}`, `predicted ${digits(of.mean_predicted)}`]]);
    }

    function tell(facts) {
      if (readout.childElementCount !== facts.length)
        readout.replaceChildren(...facts.map(([name]) => element("div", {}, element("dt", {}, formula(name)),
          element("dd"), element("dd"))));
      facts.forEach(([, value, beside], k) => {
        readout.children[k].children[1].textContent = value;
        readout.children[k].children[2].textContent = beside;
      });
    }

    function sample(paced = false) {
      const asked = { ...state, paced: paced && !services.stillness.matches };
      const others = JSON.stringify({ ...state, d_k: 0 });
      if (others !== settings) seen.clear();
      settings = others;
      const take = (part) => {
        shown = { ...part, d_k: asked.d_k };
        if (part.row) seen.set(asked.d_k, part.row);
        services.refresh();
      };
      services.job("grow", asked, take).then((part) => {
        take(part);
        const verdict = part.lines.match(/spread\.variance.*?(\w+)\n/)?.[1];
        services.say(`Head size ${asked.d_k}, ${asked.pairs} pairs: standard deviation ${digits(part.row.sd)}, ` +
          `divided ${digits(part.row.scaled)}. ${verdict ?? ""}`);
      }, (error) => services.verdicts.show(String(error)));
    }

    let last = "";
    return { update() {
      const now = JSON.stringify(state);
      if (now !== last) sample();
      last = now;
      show();
    }, leave() { last = ""; } };
  },
};

// So many digits of a number that is a text.
const digits = (text, n = 4) => String(Number(Number(text).toPrecision(n))).replace("-", "−");
