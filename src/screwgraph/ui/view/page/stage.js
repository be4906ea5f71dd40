// What is painted of the scene at a time, as seen by a camera that orbits it.
const canvas = document.getElementById("canvas");
const gl = canvas.getContext("webgl", {antialias: true, alpha: false});
const paint = gl && painter(gl);
const {up, look, centre, size, ground} = scene;
const [east, north] = beside(up);
const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
const themed = (name) => rgb(getComputedStyle(document.documentElement).getPropertyValue(name).trim());
const eyeFirst = {
  turn: Math.atan2(dot(look, north), dot(look, east)),
  lift: Math.asin(Math.min(Math.max(dot(look, up), -1), 1)),
  distance: 1, target: centre,
};
let eye = {...eyeFirst};

scene.meshes.forEach((mesh, i) => {
  if (paint) paint.keep("mesh" + i, surfaceMesh(cornersOf(floats(mesh.corners), counts(mesh.faces))));
});
for (const body of bodies) for (const part of body.parts) part.rgb = rgb(part.colour);
surfaces.forEach((surface, i) => {
  if (paint) paint.keep("surface" + i, surfaceMesh(surface.triangles));
  surface.item = {mesh: "surface" + i, matrix: poseMatrix([0, 0, 0, 0, 0, 0, 1]), colour: rgb(surface.colour)};
});
const round = (p) => [p[0], p[1], p[2]];
const ball = (p, r) => new Float32Array([r, 0, 0, 0, 0, r, 0, 0, 0, 0, r, 0, ...p, 1]);

// Lines of a grid on the ground: about twenty, at distances 1, 2 or 5 times a power of ten.
const gridLines = (() => {
  if (ground === null) return [];
  const raw = size / 6, ten = 10 ** Math.floor(Math.log10(raw)), step = ten * [1, 2, 5, 10].find((k) => k * ten >= raw);
  const lines = [], reach = 10;
  const x0 = Math.round(dot(centre, east) / step), y0 = Math.round(dot(centre, north) / step);
  const at = (x, y) => add(add(scaled(east, x * step), scaled(north, y * step)), scaled(up, ground));
  for (let i = -reach; i <= reach; i++) {
    lines.push([at(x0 + i, y0 - reach), at(x0 + i, y0 + reach)]);
    lines.push([at(x0 - reach, y0 + i), at(x0 + reach, y0 + i)]);
  }
  return lines;
})();

// Straight down onto the ground, a little below the grid.
const flattened = (() => {
  if (ground === null) return null;
  const M = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]), height = ground - 1e-3 * size;
  for (let j = 0; j < 3; j++) for (let i = 0; i < 3; i++) M[4 * j + i] -= up[i] * up[j];
  for (let i = 0; i < 3; i++) M[12 + i] = up[i] * height;
  return M;
})();

function camera() {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const width = Math.max(1, Math.round(canvas.clientWidth * ratio)), height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
  gl.viewport(0, 0, width, height);
  const aspect = width / height, angle = 0.6;
  const fit = 0.58 * size / Math.tan(angle / 2) / Math.min(1, aspect);
  const away = fit * eye.distance;
  const flat = add(scaled(east, Math.cos(eye.turn)), scaled(north, Math.sin(eye.turn)));
  const direction = add(scaled(flat, Math.cos(eye.lift)), scaled(up, Math.sin(eye.lift)));
  const upright = Math.abs(eye.lift) > 1.55 ? scaled(flat, -Math.sign(eye.lift)) : up;
  const place = add(eye.target, scaled(direction, away));
  const V = lookAt(place, eye.target, upright), P = perspective(angle, aspect, 0.02 * away, 20 * away + 20 * size);
  return {camera: product(P, V), right: [V[0], V[4], V[8]], top: [V[1], V[5], V[9]], eye: place, up, ratio, scale: 2 * away * Math.tan(angle / 2) / height * ratio};
}

function solidsAt(frame) {
  const items = surfaces.map((surface) => surface.item);
  for (const body of bodies) {
    const pose = poseAt(body, frame);
    for (const part of body.parts) items.push({mesh: part.mesh, matrix: product(pose, part.matrix), colour: part.rgb});
  }
  for (const trail of trails) {
    if (!trail.radius) continue;
    const data = mixed(trail.data, 3 * trail.count, frame), colour = rgb(trail.colour), r = trail.radius;
    for (let i = 0; i < trail.count; i++) {
      const p = round(data.subarray(3 * i, 3 * i + 3));
      if (!p.some(Number.isNaN)) items.push({mesh: "sphere", matrix: ball(p, r), colour});
    }
  }
  return items;
}

const choice = {frames: false, com: false};
const AXES = ["#d0342c", "#2a8f3c", "#2f6fd0"], COM = "#e0a800";
const massive = bodies.filter((body) => body.mass > 0);

// The axes of each body's frame: x red, y green, z blue.
function axesAt(frame, i) {
  return bodies.map((body) => {
    const M = poseAt(body, frame), p = [M[12], M[13], M[14]];
    return [p, add(p, scaled([M[4 * i], M[4 * i + 1], M[4 * i + 2]], 0.06 * size))];
  });
}

// The centre of mass of all bodies, and the point of the ground below it.
function centreOfMass(frame) {
  let sum = [0, 0, 0], mass = 0;
  for (const body of massive) {
    const M = poseAt(body, frame), c = body.com;
    const p = [0, 1, 2].map((i) => M[i] * c[0] + M[4 + i] * c[1] + M[8 + i] * c[2] + M[12 + i]);
    sum = add(sum, scaled(p, body.mass));
    mass += body.mass;
  }
  return scaled(sum, 1 / mass);
}

function segmentsAt(trail, frame) {
  const data = mixed(trail.data, 3 * trail.count, frame), segments = [];
  for (let i = 0; i + 1 < trail.count; i++) {
    const a = round(data.subarray(3 * i, 3 * i + 3)), b = round(data.subarray(3 * i + 3, 3 * i + 6));
    if (![...a, ...b].some(Number.isNaN)) segments.push([a, b]);
  }
  return segments;
}

function render(time) {
  if (!paint) return;
  const view = camera(), frame = frameAt(time), items = solidsAt(frame);
  gl.clearColor(...themed("--paper"), 1);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  if (flattened) {
    const shade = themed("--shadow");
    paint.solids(view, items.slice(surfaces.length).map((item) => ({...item, matrix: product(flattened, item.matrix), colour: shade})), 0);
    gl.depthMask(false);
    paint.lines(view, gridLines, themed("--faint"), 1);
    gl.depthMask(true);
  }
  paint.solids(view, items, 1);
  const follow = (through) => trails.filter((trail) => !trail.radius && trail.through === through)
    .forEach((trail) => paint.lines(view, segmentsAt(trail, frame), rgb(trail.colour), trail.width));
  follow(false);
  gl.disable(gl.DEPTH_TEST); // forces, and what is asked for, are seen through bodies
  follow(true);
  if (choice.frames) AXES.forEach((colour, i) => paint.lines(view, axesAt(frame, i), rgb(colour), 2));
  if (choice.com) {
    const c = centreOfMass(frame);
    if (ground !== null) paint.lines(view, [[c, add(c, scaled(up, ground - dot(c, up)))]], rgb(COM), 1.5);
    paint.solids(view, [{mesh: "sphere", matrix: ball(c, 0.012 * size), colour: rgb(COM)}], 0);
  }
  gl.enable(gl.DEPTH_TEST);
}
