// Softmax under pressure: lab/c/softmax_jacobian.c and born_saturated.c draw
// heads and exact curves; here they are shown.
import { line } from "d3-shape";
import { scaleLinear, scaleLog } from "d3-scale";
import { format } from "d3-format";
import { select } from "d3-selection";
import { chart, dk, errorBars, heatMap, number } from "../page/draw.js";
import { element, formula, isSeed } from "../page/services.js";
import { curve, grow } from "./softmax_jacobian.jobs.js";

const sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
const keys = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];
const samples = [1, 10, 100, 1000, 2000, 5000, 10000, 20000, 50000, 100000];
const regimes = [["scaled", "of the run with 1/√d"], ["unscaled", "of the run without it"]];
const path = Array.from({ length: 45 }, (_, k) => 2 ** (k / 4 - 5)); // spreads along a head's own way

const digits = (x, n = 4) => number(x, n);

// The keys whose numbers stand at an axis.
const places = (n) => Array.from({ length: n }, (_, j) => j + 1).filter((j) => n <= 8 || j % (n <= 16 ? 4 : n <= 32 ? 8 : 16) === 0);

export default {
  id: "softmax_jacobian",
  title: "Softmax under pressure",
  lead: "One head, fresh from its seed. Multiply its scores by more, and its weights become a decision; the Jacobian, through " +
    "which every gradient passes, fades. The division by the root of the head size keeps it on the left of the map.",
  claims: ["demo.trace", "demo.frobenius", "demo.typical", "demo.norm", "jacobian.formula", "jacobian.limit", "born.law",
    "born.freezing", "temperature.sweep"],
  defaults: { seed: "1", d_k: 256, exponent: -0.5, keys: 16, regime: "scaled", heads: 10000 },
  jobs: { curve, grow },

  repair(state) {
    const { defaults } = this;
    const good = {
      seed: isSeed(state.seed), d_k: Number.isInteger(state.d_k) && state.d_k >= 1 && state.d_k <= 1024,
      exponent: state.exponent >= -1 && state.exponent <= 0.1, keys: Number.isInteger(state.keys) && state.keys >= 2 && state.keys <= 64,
      regime: regimes.some(([each]) => each === state.regime),
      heads: Number.isInteger(state.heads) && state.heads >= 1 && state.heads <= 1e5,
    };
    return Object.fromEntries(Object.keys(defaults).map((key) => [key, good[key] ? state[key] : defaults[key]]));
  },

  mount(section, state, services) {
    const { lab, stage, body } = services;
    services.slider({ key: "exponent", label: "Multiplier of scores", min: -1, max: 0.1, step: 0.05, format: (e, { d_k }) =>
      `${digits(lab.jacobian_multiplier(d_k, e), 3)}${e === -0.5 ? " = 1/√d" : e === 0 ? "" : ` = d^${digits(e, 2)}`}` });
    const quick = element("div", { className: "pair" });
    quick.append(services.button(formula("1/sqrt(d_k)"), () => services.set({ exponent: -0.5 })),
      services.button("1", () => services.set({ exponent: 0 })));
    services.controls.append(quick);
    services.slider({ key: "d_k", label: "Head size d_k", values: sizes });
    services.slider({ key: "keys", label: "Keys n", values: keys });
    services.seed();
    services.slider({ key: "heads", label: "Heads in the mean", values: samples, format: format(",") });
    services.choice({ key: "regime", label: "Which heads are drawn", options: regimes });
    services.command({ words: (s) => ["bin/softmax_jacobian", "--seed", s.seed, "--trials", String(s.heads),
      "--keys", String(s.keys), "--head-size", String(s.d_k)] });
    services.command({ heading: "The map and the law of the mean", words: (s) => ["bin/born_saturated", "--seed", s.seed,
      "--keys", String(s.keys), "--head-size", String(s.d_k)] });

    // ---- the places ----

    const upper = element("div", { className: "charts" }), bars = element("div"), lower = element("div", { className: "charts" });
    upper.append(bars);
    stage.append(upper);
    const redraw = () => { drawn = {}; show(); };
    const scores = chart(bars, { height: 130, margin: { bottom: 12 }, title: "Scores", redraw });
    const weights = chart(bars, { height: 225, title: "Weights", redraw });
    const heat = chart(upper, { height: 356, title: "Jacobian <i>J</i> = diag <i>a</i> − <i>a a</i>ᵀ", margin: { left: 30, right: 52 }, redraw });
    const picture = heatMap(heat);
    const map = chart(lower, { height: 270, title: "The freezing map", margin: { left: 56 }, redraw });
    const death = chart(lower, { height: 270, title: "The gradient that is left", margin: { left: 56 }, redraw });
    const table = readingsTable();
    const progress = element("progress", { className: "grown", max: 1, value: 0, ariaLabel: "Heads drawn" });
    body.append(lower, table.box, progress);

    const x = scaleLog().base(4).domain([1 / 32, 64]), y = scaleLinear([0, 1], [1, 0]), z = scaleLog().domain([1e-4, 2]);
    const exact = new Map(); // curves by n
    services.scheme.addEventListener("change", () => services.refresh());
    let drawn = {}; // what axes and curves were drawn for
    let head, way, sample = null;

    // ---- one head ----

    function draw() {
      const { seed, regime, keys: n, d_k } = state;
      const asked = [seed, regime, n, d_k].join();
      if (drawn.head !== asked) {
        lab.jacobian_draw(BigInt(seed), regime === "scaled" ? 1 : 0, n, d_k);
        const unit = look(1).sigma;
        way = path.map((sigma) => ({ ...look(sigma / unit), sigma }));
        drawn.head = asked;
      }
      head = { n, ...look(lab.jacobian_multiplier(d_k, state.exponent), n) };
    }
    // n: with its scores, weights and Jacobian.
    function look(multiplier, n = 0) {
      const all = lab.doubles(lab.jacobian_head(multiplier), 8 + 2 * n + n * n).slice();
      const [sigma, trace, frobenius, spectral, entropy, largest, rest, squares] = all;
      return { multiplier, sigma, trace, frobenius, spectral, entropy, largest, rest, squares, scores: all.subarray(8, 8 + n),
        weights: all.subarray(8 + n, 8 + 2 * n), J: all.subarray(8 + 2 * n) };
    }

    function showBars() {
      const { n } = head;
      const most = Math.max(...head.scores.map(Math.abs));
      const reach = [3, 10, 30, 100, 300, 1000, 3000].find((each) => each >= most) ?? most;
      const place = scaleLinear([0.5, n + 0.5], [0, weights.width]);
      const s = scaleLinear([-reach, reach], [scores.height, 0]), a = scaleLinear([0, 1], [weights.height, 0]);
      const asked = [n, weights.width, reach].join();
      if (drawn.bars !== asked) {
        scores.setAxes({ x: place.copy(), y: s, xValues: [], xLabel: "", yTicks: 3, yValues: [-reach, 0, reach], yFormat: format("~g") });
        weights.setAxes({ x: place, y: a, xValues: places(n), xFormat: String, xLabel: "key" });
        weights.plot.selectAll("path.theory").data([1 / n]).join("path").attr("class", "theory").attr("d", (u) => `M0,${a(u)}H${weights.width}`);
        weights.over.selectAll("text").data([1 / n]).join("text").attr("class", "label").attr("text-anchor", "end")
          .attr("x", weights.width).attr("y", (u) => a(u) - 6).text("1/n");
        drawn.bars = asked;
      }
      const thick = Math.max(2, place(1.8) - place(1));
      const put = (c, values, height, name) => c.plot.selectAll("rect").data(values).join("rect").attr("class", `bars ${name}`)
        .attr("x", (_, j) => place(j + 1) - thick / 2).attr("width", thick)
        .attr("y", (v) => Math.min(height(v), height(0))).attr("height", (v) => Math.abs(height(v) - height(0)));
      put(scores, head.scores, s, "scores");
      put(weights, head.weights, a, "scaled");
    }

    function showJacobian() {
      const { n } = head;
      const side = Math.min(heat.width, heat.height);
      const asked = [n, side].join();
      if (drawn.heat !== asked) {
        const place = scaleLinear([0.5, n + 0.5], [0, side]);
        const width = heat.width;
        heat.width = side; // the axes are those of the square
        heat.setAxes({ x: place, y: null, xLabel: "moved by score", xValues: places(n), xFormat: String });
        heat.width = width;
        heat.axes.selectAll("g.axis").attr("transform", `translate(0,${side})`);
        heat.axes.selectAll("text.label").attr("y", side + 34);
        heat.axes.append("text").attr("class", "label").attr("transform", "rotate(-90)").attr("x", -side / 2).attr("y", -12)
          .attr("text-anchor", "middle").text("of weight");
        heat.over.selectAll("rect.frame").data([side]).join("rect").attr("class", "frame").attr("width", side).attr("height", side);
        heat.svg.attr("height", side + 48).attr("viewBox", `0 0 ${heat.width + 82} ${side + 48}`);
        legend(side);
        drawn.heat = asked;
      }
      // Shades of the root: most entries are far below a quarter.
      picture(head.J.map((v) => Math.sign(v) * Math.sqrt(Math.abs(v))), n, 0.5, side);
    }
    function legend(side) {
      const steps = 20, tall = side / (2 * steps + 1);
      const values = Array.from({ length: 2 * steps + 1 }, (_, k) => (steps - k) / steps);
      heat.over.selectAll("rect.heat").data(values).join("rect").attr("class", (v) => v < 0 ? "heat below" : "heat above")
        .attr("x", side + 10).attr("width", 10).attr("y", (_, k) => k * tall).attr("height", tall + 0.3).attr("fill-opacity", Math.abs);
      heat.over.selectAll("text").data([["¼", 4], ["0", side / 2 + 4], ["−¼", side]]).join("text").attr("x", side + 24)
        .attr("y", ([, at]) => at).text(([text]) => text);
    }

    // ---- the map ----

    function showMap() {
      const of = exact.get(state.keys);
      const asked = [map.width, state.keys, of?.points.length, drawn.head].join();
      if (drawn.map !== asked) {
        for (const [c, height] of [[map, y], [death, z]]) {
          x.range([0, c.width]);
          height.range([c.height, 0]);
          c.setAxes({ x, y: height, xValues: [1 / 16, 1 / 4, 1, 4, 16, 64], xFormat: (s) => s < 1 ? `1/${1 / s}` : String(s), xLabel: "spread σ of the scores",
            yValues: c === map ? null : [1e-4, 1e-3, 1e-2, 0.1, 1], yFormat: c === map ? undefined : (v) => v < 0.001 ? "10⁻⁴" : String(v),
            yLabel: c === map ? "Σ a²: 1 is a decision" : "tr J" });
        }
        curves(of);
        drawn.map = asked;
      }
      x.range([0, map.width]);
      points(map, y, "squares", sample && { value: sample.squares, se: sample.squares_se });
      x.range([0, death.width]);
      points(death, z, "trace", sample && { value: sample.trace, se: sample.trace_se });
    }
    function curves(of) {
      const n = state.keys, frozen = lab.freezing_sigma(n), largest = lab.freezing_largest(n);
      const fine = of?.points ?? [];
      for (const [c, height, what, asymptote] of [[map, y, "squares", (s) => Math.max(0, 1 - frozen / s)],
        [death, z, "trace", (s) => Math.min(1 - 1 / n, largest / s)]]) {
        x.range([0, c.width]);
        const trace = line((p) => x(p.sigma), (p) => height(Math.max(p[what], height.domain()[0] / 100)));
        c.plot.selectAll("path").data([[way, "way"], [fine, "theory"],
          [path.map((sigma) => ({ sigma, [what]: asymptote(sigma) })), "limit"], [null, "frozen"]])
          .join("path").attr("class", ([, name]) => name).attr("d", ([all]) => all ? trace(all) : `M${x(frozen)},0V${c.height}`);
        const frozenAt = [x(frozen) - 6, c === map ? 14 : c.height - 10, "end",
          `σ<tspan class="sub" dy="3">c</tspan><tspan dy="-3"> = ${digits(frozen, 3)}</tspan>`];
        const lawAt = [c.width, height(largest / 16) - 8, "end", 'E[M<tspan class="sub" dy="3">n</tspan><tspan dy="-3">]/σ</tspan>'];
        c.over.selectAll("text").data(c === map ? [frozenAt] : [frozenAt, lawAt]).join("text").attr("class", "label")
          .attr("x", ([at]) => at).attr("y", ([, at]) => at).attr("text-anchor", ([, , end]) => end).html(([, , , text]) => text);
      }
    }
    // This head, and the mean of all.
    function points(c, height, what, mean) {
      const floor = height.domain()[0], sigma = head.multiplier * Math.sqrt(state.d_k);
      const at = (v) => height(Math.max(v, floor));
      errorBars(c.over, mean ? [{ x: x(sigma), y: at(mean.value), low: at(mean.value - mean.se), high: at(mean.value + mean.se) }] : [], "scores");
      errorBars(c.over, [{ x: x(head.sigma), y: at(head[what]), low: at(head[what]), high: at(head[what]) }], "scaled");
      c.over.selectAll("g.scores, g.scaled").classed("now", true);
    }

    // ---- in numbers ----

    function tell() {
      const { n } = head, s = sample, t = s?.theory;
      const with_ = (mean, se) => s ? digits(mean) + (s.N > 1 ? ` ±\u00a0${digits(se, 2)}` : "") : "";
      const root = (square, se) => with_(Math.sqrt(square), se / (2 * Math.sqrt(square)));
      progress.value = s ? s.N / state.heads : 0;
      progress.classList.toggle("done", progress.value === 1);
      table.show(s ? `${format(",")(s.N)} head${s.N === 1 ? "" : "s"}` : "heads", [
        [digits(head.trace), s ? with_(s.trace, t?.trace_se ?? s.trace_se) : "", t ? digits(t.trace) : "", digits(1 - 1 / n, 3)],
        [digits(head.frobenius), s ? root(s.frobenius2, t?.frobenius2_se ?? s.frobenius2_se) : "", t ? digits(Math.sqrt(t.frobenius2)) : "", "½"],
        [digits(head.spectral), s ? root(s.spectral2, s.spectral2_se) : "", "", "½"],
        [digits(head.squares), s ? with_(s.squares, s.squares_se) : "", t ? digits(1 - t.trace) : "", "1"],
        [digits(head.entropy), s ? with_(s.entropy, s.entropy_se) : "", "", digits(Math.log(n), 3)],
        [digits(head.largest), "", "", "1"], [digits(head.rest), "", "", digits(1 - 1 / n, 3)]]);
    }

    function describe() {
      const most = head.weights.indexOf(head.largest) + 1, m = digits(head.multiplier, 3);
      scores.describe(`${head.n} scores, multiplied by ${m}: from ${digits(Math.min(...head.scores), 3)} to ${digits(Math.max(...head.scores), 3)}.`);
      weights.describe(`Weights of ${head.n} keys: the largest is ${digits(head.largest)}, of key ${most}.`);
      heat.describe(`Jacobian, ${head.n} by ${head.n}: largest entry ${digits(Math.max(...head.J), 3)}, smallest ${digits(Math.min(...head.J), 3)}.`);
      map.describe(`Sum of squared weights against the spread of the scores, on the exact curve of ${head.n} keys: this head at spread ` +
        `${digits(head.sigma, 3)} has ${digits(head.squares)}. It freezes for many keys at ${digits(lab.freezing_sigma(head.n), 3)}.`);
      death.describe(`Trace of the Jacobian against the spread of the scores: this head at spread ${digits(head.sigma, 3)} has ${digits(head.trace)}.`);
    }

    function show() {
      if (!weights.width || !heat.width || !map.width || !death.width) return;
      draw();
      showBars();
      showJacobian();
      showMap();
      tell();
      describe();
      services.verdicts.show(sample?.lines || (sample ? `The program judges these heads at the multiplier of their own run, ` +
        `${state.regime === "scaled" ? "1/√d" : "1"}.` : ""));
    }

    // ---- what the worker does ----

    function begin() {
      const asked = { ...state, n: state.keys };
      sample = null;
      if (!exact.get(asked.n)?.isWhole) {
        const take = (part) => { exact.set(part.n, part); services.refresh(); };
        services.job("curve", { n: asked.n }, take).then(take);
      }
      const take = (part) => { sample = part; services.refresh(); };
      services.job("grow", asked, take).then((part) => {
        take(part);
        services.say(`Multiplier ${digits(head.multiplier, 3)}: largest weight ${digits(head.largest, 3)}, trace of the Jacobian ` +
          `${digits(head.trace, 3)}; mean of ${part.N} heads ${digits(part.trace, 3)}.`);
      }, (error) => services.verdicts.show(String(error)));
    }

    let last = "";
    return { update() {
      const now = JSON.stringify(state);
      if (now !== last) begin();
      last = now;
      show();
    }, leave() { last = ""; } };
  },
};

// What this head has, what many have on average, what the theory says of the
// average, and what no head exceeds.
function readingsTable() {
  const names = ["tr <i>J</i>", "‖<i>J</i>‖<sub>F</sub>", "‖<i>J</i>‖<sub>2</sub>", "Σ <i>a</i>²", "entropy", "largest <i>a</i>", "1 − largest"];
  const table = select(document.createElement("table")).attr("class", "readings");
  table.append("caption").attr("class", "unseen").text("This head, the mean of many, and the theory");
  const heads = table.append("thead").append("tr").selectAll("th").data(["", "this head", "heads", "theory", "at most"]).join("th")
    .attr("scope", "col").attr("class", (_, k) => ["", "one", "many", "", ""][k]).text((text) => text);
  heads.filter((text) => !text).html('<span class="unseen">quantity</span>');
  const rows = table.append("tbody").selectAll("tr").data(names).join("tr");
  rows.append("th").attr("scope", "row").html((name) => name);
  const cells = rows.selectAll("td").data(() => [0, 1, 2, 3]).join("td");
  const set = (node, text) => { if (node.textContent !== text) node.textContent = text; };
  return { box: table.node(), show(many, values) {
    set(heads.nodes()[2], many);
    cells.nodes().forEach((node, k) => set(node, values[Math.floor(k / 4)][k % 4]));
  } };
}
