// The robot: shapes of its file, meshes that were dropped beside it, else rods from joint to joint; turned by the mouse.

/**
 * A view on a canvas; `show(robot, rows)` draws links at poses, twelve numbers a link: the rows of [R p]. `keep(name,
 * triangles)` keeps a mesh for parts of that name. A link is its `shapes` where all of their meshes are kept, else its `parts`.
 */
function robotView(canvas) {
  const { painter, surfaceMesh, product, perspective, lookAt, add, scaled } = solids;
  const gl = canvas.getContext("webgl", { antialias: true });
  const paint = gl && painter(gl);
  let yaw = -0.9, pitch = 0.35, zoom = 1, robot = null, rows = [], middle = [0, 0, 0], reach = 1, floor = 0;
  const half = { box: [0.5, 0.5, 0.5], sphere: [1, 1, 1], cylinder: [1, 1, 0.5] };
  const boxes = Object.fromEntries(Object.entries(half).map(([name, high]) => [name, [scaled(high, -1), high]]));
  const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
  const themed = (name) => rgb(getComputedStyle(document.documentElement).getPropertyValue(name).trim());

  function poseOf(link) {
    if (link === 0) return new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    const r = rows.slice(12 * (link - 1), 12 * link);
    return new Float32Array([r[0], r[4], r[8], 0, r[1], r[5], r[9], 0, r[2], r[6], r[10], 0, r[3], r[7], r[11], 1]);
  }
  const partsOf = ({ parts, shapes }) => (shapes.length && shapes.every(({ mesh }) => mesh in boxes) ? shapes : parts);
  /** What is painted: each part at its place, in its colour. */
  function items() {
    return robot.links.flatMap((link, i) => {
      const pose = poseOf(i);
      return partsOf(link).map(({ mesh, matrix, colour }) => ({ mesh, matrix: product(pose, matrix), colour: rgb(colour) }));
    });
  }
  function camera() {
    const angle = 0.6, away = (1.15 * reach) / Math.tan(angle / 2) / zoom;
    const direction = [Math.cos(pitch) * Math.sin(yaw), -Math.cos(pitch) * Math.cos(yaw), Math.sin(pitch)];
    const eye = add(middle, scaled(direction, away));
    const V = lookAt(eye, middle, [0, 0, 1]), P = perspective(angle, canvas.width / canvas.height, 0.02 * away, 20 * (away + reach));
    return { camera: product(P, V), eye, up: [0, 0, 1], ratio: canvas.width / canvas.clientWidth };
  }
  function draw() {
    if (!paint || !robot) return;
    const view = camera(), found = items(), shade = themed("--shadow");
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const flat = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, floor - 2e-3 * reach, 1]);
    paint.solids(view, found.map((item) => ({ ...item, matrix: product(flat, item.matrix), colour: shade })), 0);
    gl.depthMask(false);
    paint.lines(view, grid(), themed("--grid"), 1);
    gl.depthMask(true);
    paint.solids(view, found, 1);
  }
  function grid() {
    const e = (4 * reach) / 3;
    return [-4, -3, -2, -1, 0, 1, 2, 3, 4].flatMap((i) => {
      const s = (i * reach) / 3;
      return [[[s, -e, floor], [s, e, floor]], [[-e, s, floor], [e, s, floor]]];
    });
  }
  /** Let the robot, as it stands now, fill the view. */
  function fit() {
    const [low, high] = [[0, 0, 0], [0, 0, 0]];
    for (const { mesh, matrix: M } of items())
      for (let corner = 0; corner < 8; ++corner) {
        const [x, y, z] = [0, 1, 2].map((k) => boxes[mesh][(corner >> k) & 1][k]);
        for (let i = 0; i < 3; ++i) {
          const p = M[i] * x + M[4 + i] * y + M[8 + i] * z + M[12 + i];
          [low[i], high[i]] = [Math.min(low[i], p), Math.max(high[i], p)];
        }
      }
    floor = low[2];
    middle = low.map((x, k) => (x + high[k]) / 2);
    reach = Math.max(1e-3, 0.5 * Math.hypot(...high.map((x, k) => x - low[k])));
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  let last = null;
  canvas.onpointerdown = (event) => { last = [event.clientX, event.clientY]; canvas.setPointerCapture(event.pointerId); };
  canvas.onpointerup = () => { last = null; };
  canvas.onpointermove = (event) => {
    if (!last) return;
    yaw -= (event.clientX - last[0]) / 120;
    pitch = Math.max(-1.55, Math.min(1.55, pitch + (event.clientY - last[1]) / 120));
    last = [event.clientX, event.clientY];
    draw();
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom = Math.max(0.3, Math.min(5, zoom * Math.exp(-event.deltaY / 600)));
    draw();
  }, { passive: false });
  return {
    keep(name, triangles) {
      if (paint) paint.keep(name, surfaceMesh(triangles));
      const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
      triangles.forEach((x, i) => { low[i % 3] = Math.min(low[i % 3], x); high[i % 3] = Math.max(high[i % 3], x); });
      boxes[name] = [low, high];
    },
    show(shown, poses, anew = false) {
      [rows, zoom] = [poses, robot === shown ? zoom : 1];
      const isNew = robot !== shown || anew;
      robot = shown;
      if (isNew) fit();
      draw();
    },
  };
}
