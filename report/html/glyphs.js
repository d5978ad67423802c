// Dashes and glyphs of lines by the source of their figures, and dashes that tell lines
// of one kind and colour apart.

const dashes = {
  measured: [[], [14, 4], [14, 4, 3, 4]],
  at_rest: [[]],
  predicted: [[8, 5], [3, 3], [12, 4], [12, 4, 3, 4]],
  published: [[2, 4]],
  reference: [[10, 4, 2, 4]],
};
const glyphs = { measured: "circle", at_rest: "diamond", predicted: "triangle", published: "square", reference: "" };

function dashOf(line) {
  const list = dashes[line.kind];
  return list[(line.nth || 0) % list.length];
}

// banded: whether the confidence intervals of a line are drawn as one band: each point
// has one, and a line connects them. Otherwise they are drawn one by one.
function banded(line, points) {
  return line.kind === "measured" && points.length > 1 && points.every((q) => q.p.low !== undefined);
}

// drawInterval draws the confidence interval of one point.
function drawInterval(u, x, p, dpr) {
  const low = u.valToPos(p.low, "y", true), high = u.valToPos(p.high, "y", true), cap = 4 * dpr;
  u.ctx.beginPath();
  for (const [x1, y1, x2, y2] of [[x, low, x, high], [x - cap, low, x + cap, low], [x - cap, high, x + cap, high]]) {
    u.ctx.moveTo(x1, y1);
    u.ctx.lineTo(x2, y2);
  }
  u.ctx.stroke();
}

function drawGlyph(ctx, glyph, x, y, r) {
  ctx.beginPath();
  if (glyph === "circle") ctx.arc(x, y, r, 0, 2 * Math.PI);
  else if (glyph === "square") ctx.rect(x - r, y - r, 2 * r, 2 * r);
  else {
    const corners = glyph === "diamond" ? [[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]] : [[0, -1.2], [1.15, 0.9], [-1.15, 0.9]];
    corners.forEach(([dx, dy], i) => (i ? ctx.lineTo(x + dx * r, y + dy * r) : ctx.moveTo(x + dx * r, y + dy * r)));
    ctx.closePath();
  }
  ctx.fill();
  ctx.stroke();
}

// swatch is a line's dash and glyph for the legend.
function swatch(line, colour) {
  const canvas = element("canvas", { width: "52", height: "24", "aria-hidden": "true" });
  const ctx = canvas.getContext("2d");
  ctx.strokeStyle = ctx.fillStyle = colour;
  ctx.lineWidth = 4;
  if (line.kind !== "at_rest") {
    ctx.setLineDash(dashOf(line).map((d) => 2 * d));
    ctx.beginPath();
    ctx.moveTo(2, 12);
    ctx.lineTo(50, 12);
    ctx.stroke();
  }
  ctx.setLineDash([]);
  if (line.kind === "predicted") ctx.fillStyle = "transparent";
  if (glyphs[line.kind]) drawGlyph(ctx, glyphs[line.kind], 26, 12, 6);
  return canvas;
}
