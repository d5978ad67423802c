// How figures are written, and CSV files of them. Sizes are in IEC units, as in all
// of getio's texts.
const sizeUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const countUnits = ["", "k", "M", "G", "T"];

function scaled(value, base, units) {
  let unit = 0;
  while (Math.abs(value) >= base && unit < units.length - 1) {
    value /= base;
    unit++;
  }
  return [value, units[unit]];
}

// digits writes a number with at least three significant digits, and no more
// decimals than it needs.
function digits(value) {
  const decimals = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return String(Number(value.toFixed(decimals)));
}

const write = {
  cache_bytes(bytes) {
    const [value, unit] = scaled(bytes, 1024, sizeUnits);
    return digits(value) + " " + unit;
  },
  share(fraction) {
    const percent = 100 * fraction;
    return String(Number(percent.toPrecision(percent >= 100 ? 3 : 2))) + "%";
  },
  keys(n) {
    const [value, unit] = scaled(n, 1000, countUnits);
    return digits(value) + unit;
  },
  gets(n) {
    return write.keys(n);
  },
  ios_per_get(v) {
    if (v > 0 && v < 0.00005) return "<.0001";
    return String(Number(v.toFixed(4)));
  },
  hit_rate(v) {
    return v.toFixed(4);
  },
  reads(n) {
    return String(Number(n.toFixed(1)));
  },
  share_of_gets(v) {
    return String(Number((100 * v).toPrecision(4))) + "%";
  },
  reads_per_operation(v) {
    return String(Number(v.toPrecision(4)));
  },
  reads_per_lookup(v) {
    return String(Number(v.toFixed(3)));
  },
  l0_tables(n) {
    return String(n);
  },
  memory_per_key(v) {
    return digits(v) + " B";
  },
  microseconds(v) {
    return String(Number(v.toPrecision(4)));
  },
};

// csv is the chart's points as the text that `getio report --format csv` writes.
function csv(chart) {
  const cell = (v) => {
    if (v === undefined || v === null) return "";
    const text = String(v).replace(/(?![\n\t])\p{Cc}|\p{Cf}/gu, "\ufffd"); // what a terminal would obey
    return /[",\r\n]|^\s|^\\\.$/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  const rows = [["kind", "line", chart.x.unit, "share_of_db", chart.y.unit, "low", "high", "steady",
    ...(chart.verdicts ? ["base", "verdict", "ratio", "ratio_low", "ratio_high"] : [])]];
  for (const line of chart.lines) {
    for (const p of line.points) {
      const v = p.verdict ?? {};
      rows.push([line.kind, line.name, p.x, p.share, p.y, p.low, p.high, p.steady,
        ...(chart.verdicts ? [v.base, v.verdict, v.ratio, v.low, v.high] : [])]);
    }
  }
  return rows.map((row) => row.map(cell).join(",") + "\n").join("");
}

// save offers a text as a file.
function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// element creates an element with attributes and children; texts become text, never markup.
function element(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  e.append(...children);
  return e;
}
