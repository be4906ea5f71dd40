// Sliders that pose a robot or a mechanism; closed loops follow.
const MATH = {...Object.fromEntries(Object.getOwnPropertyNames(Math).map((name) => [name, Math[name]])), fmod: (a, b) => a % b, wrapped: (x) => x};

function posable({module, placed, rows, sliders, start, dependent, bodies: moved, trails: moving}) {
  const bytes = Uint8Array.from(atob(module), (c) => c.charCodeAt(0));
  const {memory, place, close} = new WebAssembly.Instance(new WebAssembly.Module(bytes), {math: MATH}).exports;
  const cells = new Float64Array(memory.buffer);
  const call = (run, at, count) => { cells.set(at); run(); return cells.slice(at.length, at.length + count); };
  let x = Float64Array.from(start);

  const errors = (at) => call(close, at, rows);

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
    get errors() { return Array.from(errors(x)); },
    get coordinates() { return Array.from(x); },
    // Move a slider as far as the loops can be closed; whether it got there.
    move(i, value) {
      const {coordinate, unit: of} = sliders[i], step = of === "m" ? 0.02 * size : 0.05;
      let arrived = true;
      if (rows) [x, arrived] = follow(errors, dependent, x, coordinate, value, step);
      else { x = x.slice(); x[coordinate] = value; }
      show();
      return arrived;
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
