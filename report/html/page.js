// The page: the controls, and the charts that follow them.

(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const view = {
    curves: new Set(data.curves.keys()), kinds: new Set(data.kinds.map((k) => k.kind)),
    cache: "bytes", log: true, theme: "", printing: false,
    isDark: () => !view.printing && (view.theme === "dark" || (view.theme === "" && dark.matches)),
    palette: () => (view.isDark() ? data.dark : data.light),
  };

  const figures = data.charts.map((chart) => new Figure(chart, view));
  for (const place of document.querySelectorAll("[data-charts]")) {
    const of = place.dataset.charts === "all" ? undefined : Number(place.dataset.charts);
    place.append(...figures.filter((f) => f.chart.curve === of).map((f) => f.root));
  }

  // Charts are drawn when they come near the window, so a study of many curves opens
  // quickly.
  const near = new IntersectionObserver((entries) => {
    for (const e of entries) {
      const figure = figures.find((f) => f.root === e.target);
      if (e.isIntersecting && !figure.drawn) figure.draw();
    }
  }, { rootMargin: "600px" });
  const resized = new ResizeObserver((entries) => {
    for (const e of entries) {
      const figure = figures.find((f) => f.plot === e.target);
      if (figure.drawn && !view.printing && figure.u.width !== e.target.clientWidth) figure.resize();
    }
  });
  for (const f of figures) {
    near.observe(f.root);
    resized.observe(f.plot);
  }

  function redraw() {
    document.documentElement.dataset.theme = view.printing ? "light" : view.theme;
    for (const f of figures) if (f.drawn) f.draw();
  }

  function choice(name, value, text, colour) {
    const input = element("input", { type: "checkbox", name, value: String(value), checked: "" });
    const label = element("label", {}, input, " ");
    if (colour !== undefined) label.append(element("span", { class: "swatch s" + (colour % data.light.length), "aria-hidden": "true" }));
    label.append(text);
    return label;
  }

  const controls = document.getElementById("controls");
  data.curves.forEach((name, i) => document.getElementById("curves").append(choice("curve", i, name, i)));
  const present = new Set(data.charts.flatMap((c) => c.lines.map((l) => l.kind)));
  for (const { kind, words } of data.kinds) {
    if (present.has(kind)) document.getElementById("kinds").append(choice("kind", kind, words));
  }
  controls.hidden = false;
  controls.addEventListener("change", (e) => {
    const { name, value, checked } = e.target;
    if (name === "curve") checked ? view.curves.add(Number(value)) : view.curves.delete(Number(value));
    if (name === "kind") checked ? view.kinds.add(value) : view.kinds.delete(value);
    if (name === "cache") view.cache = value;
    if (name === "log") view.log = checked;
    if (name === "theme") view.theme = value;
    redraw();
  });
  controls.addEventListener("submit", (e) => e.preventDefault());
  dark.addEventListener("change", redraw);

  const records = document.getElementById("records-button");
  records.hidden = false;
  records.addEventListener("click", () => {
    const lines = JSON.parse(document.getElementById("records").textContent);
    save("records.jsonl", "application/x-ndjson", lines.map((line) => line + "\n").join(""));
  });

  // Print shows every chart, in light colours, and all that can be opened.
  addEventListener("beforeprint", () => {
    view.printing = true;
    for (const d of document.querySelectorAll("section.curve > details")) {
      d.dataset.was = d.open;
      d.open = true;
    }
    document.documentElement.dataset.theme = "light";
    for (const f of figures) f.draw();
  });
  addEventListener("afterprint", () => {
    view.printing = false;
    for (const d of document.querySelectorAll("section.curve > details")) d.open = d.dataset.was === "true";
    redraw();
  });
})();
