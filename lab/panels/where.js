// Where is anything: words in any order before a layer, and scores by position.
import { line } from "d3-shape";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { chart, dk, heatMap, number } from "../page/draw.js";
import { element, formula, isSeed } from "../page/services.js";
import { judge, measure, scores, sentenceOf, sentences } from "./where.jobs.js";

const lengths = [8, 12, 16, 24, 32, 48, 64];
const sizes = [2, 4, 8, 16, 32, 64, 128];
const maps = {
  rotary: { text: "rotary, one query and one key", claim: "rotary.toeplitz", unit: "|q||k|",
    note: "The same query and key at every place, turned by it: what is left depends on i − j alone." },
  fresh: { text: "rotary, a fresh query and key each", claim: "rotary.toeplitz/fresh", unit: "sd of a score",
    note: "Turned just so, but every place has a content of its own, and that is what shows." },
  sinusoidal: { text: "sinusoidal positions with themselves", claim: "rotary.toeplitz/sinusoidal", unit: "d_k/2",
    note: "Inner products of the sinusoidal positions alone are a function of i − j as well." },
};
const straight = (words) => words.map((_, k) => k).join("");
const isOrder = (order, n) => [...order].sort().join("") === Array.from({ length: n }, (_, k) => k).join("");

export default {
  id: "where",
  title: "Where is anything?",
  lead: "Attention gives a set of words a set of outputs: drag the words, and the outputs move along, the same to the " +
    "last bits. Switch positions on, and they no longer do.",
  claims: ["equivariance.sets", "equivariance.permutation", "position.breaks", "rotary.toeplitz"],
  defaults: { seed: "1", sentence: "sets", order: "012", positions: 0, map: "rotary", tokens: 24, d_k: 64 },
  jobs: { judge, scores },

  repair(state) {
    const { defaults } = this;
    const good = {
      seed: isSeed(state.seed), sentence: sentences.some(({ id }) => id === state.sentence),
      positions: state.positions === 1, map: state.map in maps, tokens: lengths.includes(state.tokens),
      d_k: sizes.includes(state.d_k), order: true,
    };
    const repaired = Object.fromEntries(Object.keys(defaults).map((key) => [key, good[key] ? state[key] : defaults[key]]));
    const { words } = sentenceOf(repaired.sentence);
    if (!isOrder(repaired.order, words.length)) repaired.order = straight(words);
    return repaired;
  },

  mount(section, state, services) {
    const { stage, body, lab } = services;
    services.choice({ key: "sentence", label: "Sentence", options: sentences.map(({ id, words }) =>
      [id, words.join(" ") + (id === "twins" ? " (two equal words)" : "")]) });
    services.toggle({ key: "positions", label: "Add positions" });
    services.button("The other way round", () => services.set({ order: [...state.order].reverse().join("") }));
    services.button("As it was said", () => services.set({ order: straight(wordsOf()) }));
    services.choice({ key: "map", label: "Scores by position", options: Object.entries(maps).map(([key, { text }]) => [key, text]) });
    services.slider({ key: "tokens", label: "Tokens n", values: lengths });
    services.slider({ key: "d_k", label: "Head size d_k", values: sizes });
    services.seed();
    services.command({ words: (s) => [["bin/permutation_equivariance", "--seed", s.seed],
      ["bin/position_encoding", "--seed", s.seed, "--tokens", String(s.tokens), "--head-size", String(s.d_k)]] });

    const wordsOf = () => sentenceOf(state.sentence).words;
    const text = (order) => [...order].map((word) => wordsOf()[word]).join(" ");
    const board = sentenceBoard(stage, services, state, text);
    const readout = element("dl", { className: "readout" });
    stage.append(readout);

    // ---- scores by position ----
    const heading = element("h3", { className: "part" }, "Positions that know how far, not where");
    const note = element("p", { className: "note" });
    const row = element("div", { className: "charts" });
    body.append(heading, note, row);
    const draw = { redraw: () => showMap() };
    const map = chart(row, { height: 300, title: "Scores", margin: { left: 48 }, ...draw });
    const along = chart(row, { height: 300, title: "The same, against <i>i</i> − <i>j</i>", margin: { left: 56 }, ...draw });
    const image = heatMap(map);
    const points = along.plot.append("path").attr("class", "points");
    let found = null, lines = ""; // of scores, of judge
    services.scheme.addEventListener("change", () => showMap());

    function showMap() {
      if (!found || !map.width || !along.width) return;
      const { tokens: n, [state.map]: values } = found;
      const side = Math.min(map.width, map.height);
      const largest = Math.max(...values.map(Math.abs));
      const x = scaleLinear([-0.5, n - 0.5], [0, side]), y = scaleLinear([-0.5, n - 0.5], [0, side]);
      map.setAxes({ x, y, xLabel: "key <tspan class=\"math\">j</tspan>", yLabel: "query <tspan class=\"math\">i</tspan>",
        xFormat: "d", yFormat: "d" });
      map.axes.select(".label").attr("x", side / 2);
      map.axes.select(".grid").remove();
      image(values, n, largest, side);
      const u = scaleLinear([-n, n], [0, along.width]), v = scaleLinear([-largest, largest], [along.height, 0]).nice();
      along.setAxes({ x: u, y: v, xLabel: "<tspan class=\"math\">i</tspan> − <tspan class=\"math\">j</tspan>",
        yLabel: state.map === "sinusoidal" ? `⟨<tspan class="math">p</tspan>, <tspan class="math">p</tspan>⟩ / (${dk}/2)` : `score / √${dk}` });
      points.attr("d", Array.from(values, (s, k) => {
        const i = Math.floor(k / n), j = k % n;
        return `M${u(i - j).toFixed(1)},${v(s).toFixed(1)}h0`;
      }).join(""));
      const worst = number(measured(found.lines, maps[state.map].claim));
      map.describe(`Heat map of ${n} by ${n} scores, ${maps[state.map].text}: ` +
        `along a diagonal they differ by ${worst} of ${maps[state.map].unit} at most.`);
      along.describe(state.map === "fresh" ? "The same scores against i minus j: a cloud." :
        "The same scores against i minus j: one curve, on which all points of a diagonal coincide.");
    }

    function tell(seen) {
      const n = wordsOf().length, moved = state.order !== straight(wordsOf());
      const [of, unit] = state.positions ? [seen.rms, "of the outputs' rms"] : [seen.value, "of max |v|"];
      const facts = [
        ["Largest difference, the order undone", number(seen.defect / of), moved ? `${unit}; ${state.positions ?
          "with positions they do not move along" : `rounding may do 2 n ε = ${number(2 * n * 2 ** -52)}`}` : "nothing has moved"],
        ["From one set of outputs to the other", number(seen.sets / of), unit],
        state.sentence === "twins" ? ["Between the outputs of the two “the”", number(seen.apart / seen.rms), "of the outputs' rms"] :
          ["Between the nearest two outputs", number(seen.apart / seen.rms), "of the outputs' rms"],
        ["Along a diagonal of scores", found ? number(measured(found.lines, maps[state.map].claim)) : "…",
          `of ${maps[state.map].unit}, at most`],
      ];
      readout.replaceChildren(...facts.map(([name, value, beside]) => element("div", {}, element("dt", {}, name),
        element("dd", {}, value), element("dd", {}, formula(beside)))));
    }

    const verdicts = () => services.verdicts.show([lines, found?.lines].filter(Boolean).join("\n"));
    const fail = (error) => services.verdicts.show(String(error));
    const last = {}; // what is shown, by part
    const isNew = (part, keys) => {
      const now = JSON.stringify(keys.map((key) => state[key]));
      const changed = last[part] !== now;
      last[part] = now;
      return changed;
    };
    return { update() {
      if (isNew("judge", ["seed", "sentence"]))
        services.job("judge", { ...state }).then((text) => { lines = text; verdicts(); }, fail);
      if (isNew("scores", ["seed", "tokens", "d_k"]))
        services.job("scores", { ...state }).then((all) => { found = all; delete last.map; verdicts(); services.refresh(); }, fail);
      if (isNew("sentence", ["seed", "sentence", "order", "positions"])) {
        const seen = measure(lab, { ...state, order: [...state.order].map(Number) });
        board.show(seen);
        last.seen = seen;
        services.say(`${text(state.order)}. Largest difference once the order is undone: ` +
          `${number(seen.defect / (state.positions ? seen.rms : seen.value))} ` +
          `${state.positions ? "of the root mean square of the outputs, with positions" : "of the largest value"}.`);
      }
      tell(last.seen);
      note.textContent = maps[state.map].note;
      if (isNew("map", ["map"])) showMap();
    }, leave() { for (const part of Object.keys(last)) delete last[part]; } };
  },
};

// The number in the column "measured" of a line of verdicts.
const measured = (lines, claim) => Number(lines.match(new RegExp(`^${claim} .*`, "m"))[0].split(/\s+/)[3]);

// Coloured numbers, so many in a row: orange below 0, blue above.
function tile(parent, columns, rows) {
  const svg = select(parent).append("svg").attr("class", "tile").attr("viewBox", `0 0 ${columns} ${rows}`)
    .attr("preserveAspectRatio", "none").attr("aria-hidden", "true");
  return (values, largest) => svg.selectAll("rect").data(values).join("rect")
    .attr("x", (_, k) => k % columns + 0.04).attr("y", (_, k) => Math.floor(k / columns) + 0.04)
    .attr("width", 0.92).attr("height", 0.92).attr("class", (v) => v < 0 ? "below" : "above")
    .attr("fill-opacity", (v) => Math.min(1, Math.abs(v) / largest).toFixed(3));
}

// The sentence: words to drag, positions, outputs, and what they were.
function sentenceBoard(parent, services, state, text) {
  const hint = element("p", { className: "note", id: "where-hint" },
    "Drag a word, or focus it and press ← and →. Each block of colours is a vector: blue above 0, orange below.");
  const words = element("ol", { className: "track words", ariaLabel: "The sentence" });
  const strip = (name, label) => {
    const track = element("div", { className: `track ${name}`, role: "img" });
    return { track, box: element("div", {}, element("p", { className: "caption" }, label), track) };
  };
  const positions = strip("positions", "");
  const after = strip("after", "Outputs of the layer now");
  const links = select(element("div", { className: "links", ariaHidden: true }));
  const before = strip("before", "");
  const rest = strip("rest", "Now minus then, the order undone");
  const board = element("div", { className: "board" }, hint,
    element("p", { className: "caption" }, "Words and their embeddings"), words,
    positions.box, after.box, links.node(), before.box, rest.box);
  parent.append(board);
  const paths = links.append("svg").attr("preserveAspectRatio", "none").append("g");
  let made = "", cards = [], tiles = {}, timer = 0, drag = null;

  const n = () => state.order.length;
  const place = (word) => state.order.indexOf(String(word));
  // The word goes to another place, the others keep their order.
  function move(word, to) {
    const others = [...state.order].filter((each) => each !== String(word));
    others.splice(Math.max(0, Math.min(n() - 1, to)), 0, String(word));
    const order = others.join("");
    if (order !== state.order) services.set({ order });
  }

  function card(word, label) {
    const button = element("button", { type: "button", className: "word" }, element("span", {}, label));
    button.setAttribute("aria-describedby", hint.id);
    const draw = tile(button, 12, 2);
    const item = element("li", {}, button);
    button.addEventListener("keydown", (event) => {
      const to = { ArrowLeft: place(word) - 1, ArrowRight: place(word) + 1, Home: 0, End: n() - 1 }[event.key];
      if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      move(word, to);
    });
    button.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      button.setPointerCapture(event.pointerId);
      drag = { word, from: place(word), x: event.clientX, at: place(word) };
      item.classList.add("held");
    });
    button.addEventListener("pointermove", (event) => {
      if (drag?.word !== word) return;
      const width = words.clientWidth / n();
      drag.at = Math.max(-0.2, Math.min(n() - 0.8, drag.from + (event.clientX - drag.x) / width));
      move(word, Math.round(drag.at));
      item.style.setProperty("--place", drag.at);
    });
    const end = () => {
      if (drag?.word !== word) return;
      drag = null;
      item.classList.remove("held");
      item.style.setProperty("--place", place(word));
    };
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) button.addEventListener(name, end);
    return { item, button, draw, label };
  }

  // At rest the list is in the order that is seen, so that it is read and walked
  // through in it; the word that has the focus stays where it is meanwhile.
  function reorder() {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (drag) return reorder();
      const sorted = [...state.order].map((word) => cards[word].item);
      const focused = sorted.findIndex((item) => item.contains(document.activeElement));
      sorted.forEach((item, k) => {
        if (k < focused) sorted[focused].before(item);
        else if (k !== focused) words.append(item);
      });
    }, 400);
  }

  function build() {
    const list = sentenceOf(state.sentence).words;
    cards = list.map((label, word) => card(word, label));
    words.replaceChildren(...cards.map(({ item }) => item));
    for (const [name, { track }] of Object.entries({ positions, after, before, rest })) {
      track.replaceChildren();
      tiles[name] = list.map((label, k) => {
        const box = element("div", {}, ...(name === "before" ? [element("span", {}, label)] : []));
        box.style.setProperty("--place", k);
        track.append(box);
        return { box, draw: name === "positions" ? tile(box, 12, 2) : tile(box, 7, 3) };
      });
    }
    board.style.setProperty("--n", list.length);
    before.box.querySelector(".caption").textContent = `Outputs of “${list.join(" ")}”`;
    links.select("svg").attr("viewBox", `0 0 ${list.length} 1`);
  }

  return { show(seen) {
    if (made !== state.sentence) build();
    made = state.sentence;
    const largest = Math.max(...seen.before.flatMap((row) => [...row].map(Math.abs)));
    const shaken = state.positions && [...state.order].some((word, k) => Number(word) !== k);
    cards.forEach(({ item, button, draw, label }, word) => {
      draw(seen.tokens[word], 2);
      button.setAttribute("aria-label", `${label}, place ${place(word) + 1} of ${n()}`);
      if (drag?.word !== word) item.style.setProperty("--place", place(word));
      tiles.after[word].box.style.setProperty("--place", place(word));
      tiles.after[word].draw(seen.after[place(word)], largest);
      tiles.before[word].draw(seen.before[word], largest);
      tiles.rest[word].draw(seen.after[place(word)].map((value, c) => value - seen.before[word][c]), largest);
      tiles.positions[word].draw(seen.positions[word].map((value) => value * state.positions), 2);
    });
    positions.box.querySelector(".caption").textContent = state.positions ?
      "Added: sinusoidal positions, which stay in their places" : "Added: nothing";
    positions.track.setAttribute("aria-label", state.positions ? "A position for every place" : "No positions");
    after.track.setAttribute("aria-label", `Outputs, in the order ${text(state.order)}`);
    before.track.setAttribute("aria-label", "Outputs of the sentence as it was said");
    rest.track.setAttribute("aria-label", `Differences, the order undone: at most ${seen.defect.toPrecision(3)}`);
    paths.selectAll("path").data(cards).join("path").classed("shaken", shaken)
      .attr("d", (_, word) => line()([[place(word) + 0.5, 0], [word + 0.5, 1]]));
    reorder();
  } };
}
