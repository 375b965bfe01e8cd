// Charts in the report's look: an SVG as wide as its box, axes, bars, error bars.
import { axisBottom, axisLeft } from "d3-axis";
import { select } from "d3-selection";

let count = 0;

// A chart in parent. redraw(chart) is called when its width is known or changes;
// chart.width and chart.height are those of the plot inside the axes, chart.plot
// is clipped to it, chart.over is not.
export function chart(parent, { height = 220, margin = {}, title, redraw }) {
  const { top, right, bottom, left } = { top: 8, right: 12, bottom: 40, left: 44, ...margin };
  const id = `chart-${++count}`;
  const box = select(parent).append("div").attr("class", "chart");
  if (title) box.append("h3").html(title);
  const svg = box.append("svg").attr("role", "img").attr("aria-labelledby", `${id}-text`).attr("height", height);
  const text = svg.append("title").attr("id", `${id}-text`);
  const clip = svg.append("clipPath").attr("id", `${id}-clip`).append("rect");
  const inner = svg.append("g").attr("transform", `translate(${left},${top})`);
  const made = {
    box: box.node(),
    svg,
    axes: inner.append("g"),
    plot: inner.append("g").attr("clip-path", `url(#${id}-clip)`),
    over: inner.append("g"),
    width: 0,
    height: height - top - bottom,
    // What a screen reader says of it.
    describe(words) { if (text.text() !== words) text.text(words); },
    // Axes; y may be null. Labels may hold markup of SVG.
    setAxes({ x, y, xLabel, yLabel, xTicks = 6, yTicks = 5, xFormat, yFormat, xValues = null, yValues = null }) {
      made.axes.selectAll("*").remove();
      const bottomAxis = axisBottom(x).ticks(xTicks, xFormat).tickSizeOuter(0);
      if (xValues) bottomAxis.tickValues(xValues).tickFormat(xFormat);
      made.axes.append("g").attr("class", "axis").attr("transform", `translate(0,${made.height})`).call(bottomAxis);
      made.axes.append("text").attr("class", "label").attr("x", made.width / 2).attr("y", made.height + 34)
        .attr("text-anchor", "middle").html(xLabel);
      if (!y) return;
      // A log axis hides all but few of its own labels, none of those it is given.
      const leftAxis = axisLeft(y).ticks(yTicks, yFormat);
      if (yValues) leftAxis.tickValues(yValues).tickFormat(yFormat);
      made.axes.append("g").attr("class", "axis").call(leftAxis.tickSizeOuter(0));
      made.axes.append("g").attr("class", "grid")
        .call(axisLeft(y).ticks(yTicks).tickValues(yValues).tickSize(-made.width).tickFormat("").tickSizeOuter(0));
      if (yLabel)
        made.axes.append("text").attr("class", "label").attr("transform", "rotate(-90)")
          .attr("x", -made.height / 2).attr("y", -left + 12).attr("text-anchor", "middle").html(yLabel);
    },
  };
  new ResizeObserver(([{ contentRect }]) => {
    const width = Math.round(contentRect.width) - left - right;
    if (width <= 0 || width === made.width) return;
    made.width = width;
    svg.attr("viewBox", `0 0 ${width + left + right} ${height}`).attr("width", width + left + right);
    clip.attr("width", width).attr("height", made.height);
    redraw(made);
  }).observe(box.node());
  return made;
}

// "d_k" and "sqrt" for a label of SVG.
export const dk = 'd<tspan class="sub" dy="3">k</tspan><tspan dy="-3">\u200a</tspan>';

// A number for people: so many digits, powers of ten where it is small.
export function number(x, digits = 3) {
  const [mantissa, power] = String(x && Math.abs(x) < 1e-3 ? x.toExponential(digits - 1) : Number(x.toPrecision(digits))).split("e");
  return (power === undefined ? mantissa : `${mantissa} · 10${superscript(power)}`).replace(/^-/, "−");
}
export const superscript = (n) => String(n).replace("-", "⁻").replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);

// Error bars at points {x, y, low, high}, in the chart's own coordinates.
export function errorBars(group, points, className) {
  group.selectAll(`g.${className}`).data(points).join((enter) => {
    const g = enter.append("g").attr("class", className);
    g.append("path");
    g.append("circle").attr("r", 4);
    return g;
  }).each(function ({ x, y, low, high }) {
    const g = select(this);
    g.select("path").attr("d", `M${x},${low}V${high}M${x - 5},${low}h10M${x - 5},${high}h10`);
    g.select("circle").attr("cx", x).attr("cy", y);
  });
}

// A square of n x n numbers in a chart's plot, orange below 0, blue above: a
// function (values, n, largest, side).
export function heatMap({ plot }) {
  const canvas = document.createElement("canvas");
  const image = plot.append("image").attr("class", "map").attr("preserveAspectRatio", "none");
  return (values, n, largest, side) => {
    const style = getComputedStyle(document.documentElement);
    const [below, above] = ["--orange", "--blue"].map((name) =>
      style.getPropertyValue(name).trim().match(/[0-9a-f]{2}/gi).map((hex) => parseInt(hex, 16)));
    canvas.width = canvas.height = n;
    const context = canvas.getContext("2d");
    const pixels = context.createImageData(n, n);
    values.forEach((value, k) => pixels.data.set([...(value < 0 ? below : above),
      255 * Math.min(1, Math.abs(value) / largest)], 4 * k));
    context.putImageData(pixels, 0, 0);
    image.attr("width", side).attr("height", side).attr("href", canvas.toDataURL());
  };
}
