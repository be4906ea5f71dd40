// Sliders that pose a robot or a mechanism: chosen coordinates go where they are told, the others follow so that loops close.
const CLOSED = 1e-10, ROUNDS = 25, LEAST = 1e-12;
const MATH = {...Object.fromEntries(Object.getOwnPropertyNames(Math).map((name) => [name, Math[name]])), fmod: (a, b) => a % b, wrapped: (x) => x};

// The solution of A d = b, by elimination with pivots.
function solution(A, b) {
  const n = b.length, rows = A.map((row, i) => [...row, b[i]]);
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[best][k])) best = i;
    [rows[k], rows[best]] = [rows[best], rows[k]];
    for (let i = k + 1; i < n; i++) {
      const factor = rows[i][k] / rows[k][k];
      for (let j = k; j <= n; j++) rows[i][j] -= factor * rows[k][j];
    }
  }
  const d = new Array(n);
  for (let k = n - 1; k >= 0; k--) {
    d[k] = rows[k][n];
    for (let j = k + 1; j < n; j++) d[k] -= rows[k][j] * d[j];
    d[k] /= rows[k][k];
  }
  return d;
}

function posable({module, placed, rows, sliders, start, dependent, bodies: moved, trails: moving}) {
  const bytes = Uint8Array.from(atob(module), (c) => c.charCodeAt(0));
  const {memory, place, close} = new WebAssembly.Instance(new WebAssembly.Module(bytes), {math: MATH}).exports;
  const cells = new Float64Array(memory.buffer);
  const call = (run, at, count) => { cells.set(at); run(); return cells.slice(at.length, at.length + count); };
  let x = Float64Array.from(start);

  // The nearest coordinates at which all loops are closed, by Newton's method; null where that does not get there.
  function closed(at) {
    for (let round = 0; round < ROUNDS; round++) {
      const open = call(close, at, rows), worst = open.reduce((most, r) => Math.max(most, Math.abs(r)), 0);
      if (worst < CLOSED) return at;
      const slopes = dependent.map((k) => {
        const [ahead, behind] = [1e-6, -1e-6].map((h) => { const there = at.slice(); there[k] += h; return call(close, there, rows); });
        return ahead.map((value, i) => (value - behind[i]) / 2e-6);
      });
      const inner = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
      const A = slopes.map((a, i) => slopes.map((b, j) => inner(a, b) + (i === j ? LEAST : 0)));
      const d = solution(A, slopes.map((a) => -inner(a, open)));
      if (!d.every((step) => Math.abs(step) < 1)) return null;
      dependent.forEach((k, i) => { at[k] += d[i]; });
    }
    return null;
  }

  function show() {
    const numbers = call(place, x, placed);
    moved.forEach((body, i) => {
      const [a, b, c, px, d, e, f, py, g, h, k, pz] = numbers.subarray(12 * i, 12 * i + 12);
      const ex = unit([a, d, g]), flat = [b, e, h], ey = unit(add(flat, scaled(ex, -dot(ex, flat)))), ez = cross(ex, ey);
      bodies[body].matrix = new Float32Array([...ex, 0, ...ey, 0, ...ez, 0, px, py, pz, 1]);
    });
    let from = 12 * moved.length;
    for (const trail of moving) {
      const {data} = trails[trail];
      data.set(numbers.subarray(from, from + data.length));
      from += data.length;
    }
  }

  return {
    sliders, show,
    get errors() { return Array.from(call(close, x, rows)); },
    get coordinates() { return Array.from(x); },
    // Move a slider as far as the loops can be closed; whether it got there.
    move(i, value) {
      const {coordinate, unit: of} = sliders[i], from = x[coordinate], step = of === "m" ? 0.02 * size : 0.05;
      const count = rows ? Math.max(1, Math.ceil(Math.abs(value - from) / step)) : 1;
      for (let s = 1; s <= count; s++) {
        const next = x.slice();
        next[coordinate] = from + (value - from) * s / count;
        const found = rows ? closed(next) : next;
        if (!found) { show(); return false; }
        x = found;
      }
      show();
      return true;
    },
  };
}

if (scene.posing) {
  const posing = posable(scene.posing), table = document.querySelector("#joints table");
  posing.sliders.forEach((slider, i) => {
    const row = table.insertRow(), name = row.insertCell(), bar = document.createElement("input"), value = document.createElement("output");
    name.textContent = name.title = slider.label;
    Object.assign(bar, {type: "range", min: slider.low, max: slider.high, step: "any", ariaLabel: slider.label});
    const tell = (at) => { bar.value = at; value.textContent = Number(at).toFixed(3) + " " + slider.unit; };
    tell(slider.initial);
    bar.addEventListener("input", () => {
      const got = posing.move(i, Number(bar.value));
      part("stuck").textContent = got ? "" : slider.label + ": the loops do not close beyond here";
      tell(posing.coordinates[slider.coordinate]);
      ask();
    });
    row.insertCell().append(bar);
    row.insertCell().append(value);
  });
  part("joints").hidden = !posing.sliders.length;
  part("joints").open = innerWidth > 720;
  window.screwgraph.posing = posing;
  posing.show();
  show();
}
