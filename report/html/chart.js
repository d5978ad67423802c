// One chart: uPlot draws axes, lines and bands; markers, inflection points, the
// readout of values and the keyboard are done here.

class Figure {
  // view is what the reader chose to see; see page.js.
  constructor(chart, view) {
    this.chart = chart;
    this.view = view;
    this.off = new Set(); // lines that the reader switched off, by number
    this.root = this.build();
  }

  build() {
    const { chart } = this;
    this.id = "chart-" + chart.name + (chart.curve === undefined ? "" : "-" + chart.curve);
    this.plot = element("div", {
      class: "plot", tabindex: "0", role: "group", "aria-roledescription": "chart",
      "aria-label": chart.title + ": " + this.summary() + " Arrow keys step through the values.",
    });
    this.readout = element("output", { class: "readout", "aria-live": "polite" });
    this.tip = element("div", { class: "tip", "aria-hidden": "true", hidden: "" });
    this.note = element("p", { class: "note" }, chart.note || "");
    this.legend = element("ul", { class: "legend", "aria-label": "Lines of the chart" });
    const download = element("button", { type: "button", class: "csv", "aria-label": "Data of the chart " + chart.title + " as CSV" }, "CSV");
    download.addEventListener("click", () => save(this.id + ".csv", "text/csv", csv(chart)));
    const table = element("details", { class: "data" }, element("summary", {}, "Data of this chart"));
    table.addEventListener("toggle", () => table.children.length < 2 && table.append(this.table()), { once: true });
    this.plot.append(this.tip);
    this.plot.addEventListener("keydown", (e) => this.key(e));
    this.plot.addEventListener("blur", () => this.point(null));
    return element("figure", { id: this.id, class: "chart" },
      element("figcaption", {}, element("h3", {}, chart.title)), this.plot, this.readout, this.legend,
      this.note, element("div", { class: "tools" }, download, table));
  }

  summary() {
    const n = this.chart.lines.length;
    return (n === 1 ? "one line, " : n + " lines, ") + this.chart.y.label + " against " + this.chart.x.label + ".";
  }

  // byShare: whether the cache is shown as a share of the database.
  get byShare() {
    return this.chart.x.unit === "cache_bytes" && this.view.cache === "share";
  }

  get logarithmic() {
    return this.chart.x.log === true && this.view.log;
  }

  x(p) {
    const x = this.byShare ? p.share : p.x;
    return x === undefined || (this.logarithmic && x <= 0) ? null : x;
  }

  visible(n) {
    const line = this.chart.lines[n];
    return !this.off.has(n) && this.view.kinds.has(line.kind) &&
      (line.curve === undefined || this.chart.curve !== undefined || this.view.curves.has(line.curve));
  }

  colour(n) {
    const palette = this.view.palette();
    return palette[n % palette.length];
  }

  // draw redraws the chart for the current view.
  draw() {
    if (this.u) this.u.destroy();
    this.point(null);
    this.drawLegend();
    const { data, series, bands } = this.series();
    this.drawn = true;
    const options = {
      ...this.size(),
      padding: [this.chart.marks ? 32 : null, null, null, null], legend: { show: false }, cursor: { points: { show: false }, drag: { x: false, y: false } },
      scales: {
        x: { time: false, distr: this.logarithmic ? 3 : 1, log: 10, range: (u, lo, hi) => this.rangeX(lo, hi) },
        y: { distr: this.chart.y.log ? 3 : 1, log: 10, range: (u, lo, hi) => this.rangeY(lo, hi) },
      },
      axes: this.axes(), series, bands,
      hooks: {
        drawClear: [(u) => this.drawMarks(u)],
        draw: [(u) => this.drawPoints(u)],
        setCursor: [(u) => this.hover(u)],
      },
    };
    this.u = new uPlot(options, data, this.plot);
    this.plot.dataset.drawn = "true";
  }

  // size is the size of the chart. On paper two charts stand side by side, but the
  // element still has its width on the screen.
  size() {
    if (this.view.printing) return { width: 335, height: 240 };
    const width = this.plot.clientWidth || 600;
    return { width, height: width < 480 ? 260 : 340 };
  }

  resize() {
    this.point(null);
    if (this.u && this.plot.clientWidth > 0) this.u.setSize(this.size());
  }

  // series aligns the visible lines on all their x, as uPlot wants them. Of each line
  // at[] keeps the height that its points are drawn at: in a stack, the sum.
  series() {
    const xs = new Set();
    this.at = [];
    let left = 0; // points without a place on the axes, which are left out
    let below = new Map();
    this.chart.lines.forEach((line, n) => {
      if (!this.visible(n)) return;
      const points = line.points.map((p) => ({ p, x: this.x(p) })).filter((q) => q.x !== null && (!this.chart.y.log || q.p.y > 0)).sort((a, b) => a.x - b.x);
      left += line.points.length - points.length;
      const sums = new Map(below);
      for (const q of points) {
        q.y = q.p.y + (this.chart.stacked ? below.get(q.x) || 0 : 0);
        sums.set(q.x, q.y);
        xs.add(q.x);
      }
      if (this.chart.stacked) below = sums;
      this.at.push({ line, n, points });
    });
    this.note.textContent = [this.chart.note || "", left > 0 ? "Not drawn: " + left + (left === 1 ? " value" : " values") + " at 0 on a logarithmic axis, or of an unknown share." : ""].join(" ").trim();
    const x = Float64Array.from(xs).sort();
    const place = new Map(Array.from(x, (v, i) => [v, i]));
    const data = [x], series = [{}], bands = [];
    const add = (points, y, options) => {
      const column = new Array(x.length).fill(null);
      for (const q of points) column[place.get(q.x)] = y(q);
      data.push(column);
      series.push({ points: { show: false }, spanGaps: true, ...options });
      return series.length - 1;
    };
    let under = null;
    for (const { line, points } of this.at) {
      const colour = () => this.colour(line.colour);
      if (this.chart.stacked) {
        const top = add(points, (q) => q.y, { stroke: colour, width: 1.5, fill: under === null ? () => colour() + "66" : undefined });
        if (under !== null) bands.push({ series: [top, under], fill: () => colour() + "66" });
        under = top;
        continue;
      }
      if (banded(line, points)) {
        const high = add(points, (q) => q.p.high, { width: 0 });
        const low = add(points, (q) => q.p.low, { width: 0 });
        bands.push({ series: [high, low], fill: () => colour() + "33" });
      }
      add(points, (q) => q.y, { stroke: colour, width: line.kind === "at_rest" ? 0 : 2, dash: dashOf(line) });
    }
    if (data.length === 1) { // nothing to draw but axes
      data[0] = [1, 2];
      data.push([null, null]);
      series.push({});
    }
    return { data, series, bands };
  }

  rangeX(lo, hi) {
    if (lo === null) return [1, 2];
    if (this.logarithmic) return [lo / 1.12, hi * 1.12];
    const pad = 0.04 * (hi - lo || hi || 1);
    return [Math.max(0, lo - pad), hi + pad];
  }

  rangeY(lo, hi) {
    if (this.chart.y.unit === "hit_rate" || this.chart.y.unit === "share_of_gets") return [0, 1.02];
    if (lo === null) return this.chart.y.log ? [1, 10] : [0, 1];
    if (this.chart.y.log) return [lo / 1.3, hi * 1.3];
    if (this.chart.name === "windows") {
      const pad = 0.08 * (hi - lo) || 0.05;
      return [Math.max(0, lo - pad), hi + pad];
    }
    return [0, 1.08 * hi || 1];
  }

  axes() {
    // uPlot asks for colours whenever it draws, so that they follow the theme.
    const style = (name) => () => getComputedStyle(this.root).getPropertyValue(name).trim();
    const common = { stroke: style("--ink"), font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif", labelSize: 18, labelGap: 0, grid: { stroke: style("--grid"), width: 1 }, ticks: { stroke: style("--grid"), width: 1 } };
    const unit = this.byShare ? "share" : this.chart.x.unit;
    const label = this.byShare ? "block cache, % of the database" : this.chart.x.label;
    return [
      { ...common, label, size: 34, splits: (u, axis, lo, hi) => this.ticks(u, lo, hi), filter: (u, splits) => splits, values: (u, splits) => splits.map((v) => write[unit](v)) },
      { ...common, label: this.chart.y.label, size: 56, ...(this.chart.y.log ? { splits: (u, axis, lo, hi) => roundLog(lo, hi, 8, false), filter: (u, splits) => splits } : {}), values: (u, splits) => splits.map((v) => String(Number(v.toFixed(6)))) },
    ];
  }

  // ticks are round values along the x axis, in the units that it is written in, as
  // many as there is room for.
  ticks(u, lo, hi) {
    const room = Math.max(2, Math.floor(u.bbox.width / devicePixelRatio / 78));
    const binary = this.chart.x.unit === "cache_bytes" && !this.byShare;
    const values = this.logarithmic ? roundLog(lo, hi, room, binary) : roundLinear(lo, hi, room, binary);
    return this.chart.x.unit === "reads" || this.chart.x.unit === "l0_tables" ? values.filter(Number.isInteger) : values;
  }

  // drawMarks draws the inflection points of the visible curves below everything else.
  drawMarks(u) {
    const marks = (this.chart.marks || []).filter((m) => this.chart.curve !== undefined || this.view.curves.has(m.curve));
    const curves = new Set(marks.map((m) => m.curve));
    const { ctx, bbox } = u, dpr = devicePixelRatio;
    ctx.save();
    ctx.font = 11 * dpr + "px system-ui, sans-serif";
    ctx.textAlign = "left";
    let free = -Infinity; // where the next label may begin
    const placed = marks.map((m) => ({ m, at: this.x(m) === null ? NaN : u.valToPos(this.x(m), "x", true) }))
      .filter((p) => p.at >= bbox.left && p.at <= bbox.left + bbox.width).sort((a, b) => a.at - b.at);
    for (const { m, at } of placed) {
      ctx.strokeStyle = ctx.fillStyle = this.chart.curve !== undefined ? u.axes[0].stroke(u) : this.colour(m.curve);
      ctx.lineWidth = dpr;
      ctx.setLineDash([2 * dpr, 3 * dpr]);
      ctx.beginPath();
      ctx.moveTo(at, bbox.top - 12 * dpr);
      ctx.lineTo(at, bbox.top + bbox.height);
      ctx.stroke();
      const width = ctx.measureText(m.name).width;
      if (at + 3 * dpr >= free && at + 3 * dpr + width <= bbox.left + bbox.width) {
        ctx.fillText(m.name, at + 3 * dpr, bbox.top - 4 * dpr);
        free = at + 9 * dpr + width;
      }
    }
    if (curves.size === 1) this.drawPhases(u, marks);
    ctx.restore();
  }

  // drawPhases names the phases below, between and above the inflection points if one
  // curve is visible, as far as they are on the axis.
  drawPhases(u, marks) {
    const { ctx, bbox } = u, dpr = devicePixelRatio;
    const names = { "IP1 IP2": [1, 2, 3], "IP1,2": [1, 3], IP2: [2, 3], IP1: [1, 2] }[marks.map((m) => m.name).join(" ")];
    if (!names || marks.some((m) => this.x(m) === null)) return;
    const on = (at) => Math.min(Math.max(at, bbox.left), bbox.left + bbox.width);
    const edges = [bbox.left, ...marks.map((m) => on(u.valToPos(this.x(m), "x", true))), bbox.left + bbox.width];
    ctx.fillStyle = u.axes[0].stroke(u);
    ctx.textAlign = "center";
    names.forEach((phase, i) => {
      const name = "phase " + phase;
      if (edges[i + 1] - edges[i] > ctx.measureText(name).width + 8 * dpr) {
        ctx.fillText(name, (edges[i] + edges[i + 1]) / 2, bbox.top - 18 * dpr);
      }
    });
  }

  // drawPoints draws the markers, measured ones last so that nothing covers them, and
  // keeps the place of each value, in the order of the lines.
  drawPoints(u) {
    const dpr = devicePixelRatio, { bbox } = u;
    const on = (s) => s.x >= bbox.left - 1 && s.x <= bbox.left + bbox.width + 1 && s.y >= bbox.top - 1 && s.y <= bbox.top + bbox.height + 1;
    const marks = this.at.map(({ line, points }) => ({
      line, points, spots: points.map((q) => ({ line, p: q.p, x: u.valToPos(q.x, "x", true), y: u.valToPos(q.y, "y", true) })).filter(on),
    }));
    this.spots = marks.flatMap((m) => m.spots.map((s) => ({ ...s, x: s.x / dpr, y: s.y / dpr })));
    const order = ["reference", "published", "predicted", "at_rest", "measured"];
    marks.sort((a, b) => order.indexOf(a.line.kind) - order.indexOf(b.line.kind));
    u.ctx.save();
    u.ctx.setLineDash([]);
    for (const { line, points, spots } of marks) {
      if (glyphs[line.kind] && points.length <= 60) this.drawMarkers(u, line, spots, !this.chart.stacked && !banded(line, points), dpr);
    }
    u.ctx.restore();
  }

  // drawMarkers draws one line's markers, with their intervals if asked to.
  drawMarkers(u, line, spots, intervals, dpr) {
    const ground = getComputedStyle(this.root).getPropertyValue("--ground").trim();
    const radius = (this.chart.name === "windows" ? 2.2 : 3.8) * (line.kind === "predicted" ? 1.5 : 1) * dpr;
    u.ctx.strokeStyle = this.colour(line.colour);
    u.ctx.lineWidth = 1.6 * dpr;
    for (const { p, x, y } of spots) {
      if (intervals && p.low !== undefined) drawInterval(u, x, p, dpr);
      u.ctx.fillStyle = line.kind === "predicted" ? "transparent" : this.hollow(line, p) ? ground : u.ctx.strokeStyle;
      drawGlyph(u.ctx, glyphs[line.kind], x, y, radius);
    }
  }

  // hollow is as chart.Chart.Hollow: of a run that is not known to be steady.
  hollow(line, p) {
    return this.chart.judged === true && (line.kind === "measured" || line.kind === "at_rest") && p.steady !== true;
  }

  // hover shows the value nearest to the pointer.
  hover(u) {
    const { left, top } = u.cursor;
    if (left === undefined || left < 0 || !this.spots) return this.point(null);
    const ox = u.bbox.left / devicePixelRatio, oy = u.bbox.top / devicePixelRatio;
    let best = null, least = 60 * 60;
    for (const s of this.spots) {
      const d = (s.x - ox - left) ** 2 + (s.y - oy - top) ** 2;
      if (d < least) [best, least] = [s, d];
    }
    this.point(best);
  }

  // key steps from value to value and from line to line; Home and End go to the first
  // and the last value.
  key(e) {
    const steps = { ArrowRight: 1, ArrowLeft: -1 };
    const spots = this.spots || [];
    if (e.key === "Escape") return this.point(null);
    let next = spots.indexOf(this.shown);
    if (e.key in steps) next = next < 0 ? (steps[e.key] > 0 ? 0 : spots.length - 1) : (next + steps[e.key] + spots.length) % spots.length;
    else if (e.key === "ArrowUp" || e.key === "ArrowDown") next = this.otherLine(spots, next, e.key === "ArrowDown" ? 1 : -1);
    else if (e.key === "Home") next = 0;
    else if (e.key === "End") next = spots.length - 1;
    else return;
    e.preventDefault();
    if (spots.length > 0) this.point(spots[Math.max(0, next)]);
  }

  // otherLine is the first value of the line before or after that of the given one.
  otherLine(spots, from, step) {
    const lines = [...new Set(spots.map((s) => s.line))];
    const at = from < 0 ? 0 : lines.indexOf(spots[from].line) + step;
    return spots.findIndex((s) => s.line === lines[(at + lines.length) % lines.length]);
  }

  // point shows one value; null shows none.
  point(spot) {
    this.shown = spot;
    this.tip.hidden = !spot;
    if (!spot) {
      this.readout.textContent = "";
      return;
    }
    const { line, p } = spot;
    const parts = [write[this.chart.y.unit](p.y) + " " + this.chart.y.label];
    if (p.low !== undefined) parts.push("95% " + write[this.chart.y.unit](p.low) + " to " + write[this.chart.y.unit](p.high));
    let at = write[this.chart.x.unit](p.x);
    at += this.chart.x.unit === "cache_bytes" ? (p.share === undefined ? "" : " (" + write.share(p.share) + " of the database)") : " " + this.chart.x.label;
    parts.push("at " + at);
    if (p.steady !== undefined) parts.push(p.steady ? "steady" : "not steady");
    else if (this.hollow(line, p)) parts.push("not known to be steady");
    const text = line.name + ": " + parts.join(", ");
    this.readout.textContent = text;
    this.tip.textContent = text;
    this.tip.classList.toggle("left", spot.x > this.plot.clientWidth / 2);
    this.tip.style.left = spot.x + "px";
    this.tip.style.top = spot.y + "px";
  }

  drawLegend() {
    const entries = this.chart.lines.map((line, n) => {
      const seen = this.visible(n);
      const button = element("button", { type: "button", "aria-pressed": String(seen) }, swatch(line, this.colour(line.colour)), line.name);
      button.addEventListener("click", () => {
        this.off.has(n) ? this.off.delete(n) : this.off.add(n);
        this.draw();
        this.legend.querySelectorAll("button")[entries.indexOf(button.parentNode)].focus();
      });
      const item = element("li", {}, button);
      item.hidden = !seen && !this.off.has(n);
      return item;
    });
    this.legend.replaceChildren(...entries);
  }

  // table is the chart's data as a table.
  table() {
    const { chart } = this;
    const head = ["line", chart.x.label, ...(chart.x.unit === "cache_bytes" ? ["of the database"] : []), chart.y.label, "95% interval", "steady"];
    const body = element("tbody");
    for (const line of chart.lines) {
      for (const p of line.points) {
        const cells = [write[chart.x.unit](p.x), ...(chart.x.unit === "cache_bytes" ? [p.share === undefined ? "-" : write.share(p.share)] : []),
          write[chart.y.unit](p.y), p.low === undefined ? "-" : write[chart.y.unit](p.low) + " to " + write[chart.y.unit](p.high),
          p.steady === undefined ? "-" : p.steady ? "yes" : "no"];
        body.append(element("tr", {}, element("th", { scope: "row" }, line.name), ...cells.map((c) => element("td", {}, c))));
      }
    }
    return element("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "Data of " + chart.title },
      element("table", {}, element("thead", {}, element("tr", {}, ...head.map((h) => element("th", { scope: "col" }, h)))), body));
  }
}
