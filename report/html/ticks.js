// Round values along an axis.

// ladders are round values between powers of a base, the finest first; the first that
// gives few enough is taken.
const ladders = {
  2: [[1, 1.125, 1.25, 1.375, 1.5, 1.625, 1.75, 1.875], [1, 1.25, 1.5, 1.75], [1, 1.5]],
  10: [[1, 1.5, 2, 3, 4, 5, 7], [1, 2, 5], [1, 3]],
};

// roundLog returns at most a number of round values from lo to hi on a logarithmic axis:
// of sizes by powers of 2, otherwise by powers of 10.
function roundLog(lo, hi, most, binary) {
  const base = binary ? 2 : 10;
  for (const steps of ladders[base]) {
    const values = powers(lo, hi, base, steps);
    if (values.length <= most) return values.length > 1 ? values : roundLinear(lo, hi, most, binary);
  }
  for (let n = 1; ; n++) {
    const values = powers(lo, hi, base ** n, [1]);
    if (values.length <= most) return values;
  }
}

function powers(lo, hi, base, steps) {
  const values = [];
  for (let e = Math.floor(Math.log(lo) / Math.log(base)) - 1; base ** e <= hi; e++) {
    for (const s of steps) {
      const v = s * base ** e;
      if (v >= lo && v <= hi) values.push(v);
    }
  }
  return values;
}

function roundLinear(lo, hi, most, binary) {
  const base = binary ? 2 : 10, rough = (hi - lo) / most, power = base ** Math.floor(Math.log(rough) / Math.log(base));
  const step = power * (binary ? [1, 2] : [1, 2, 5, 10]).find((m) => m * power >= rough);
  const values = [];
  for (let i = Math.ceil(lo / step); i * step <= hi; i++) values.push(i * step);
  return values;
}
