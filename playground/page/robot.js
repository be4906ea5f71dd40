// The robot as a skeleton: rods from joint to joint, joints with their axes, turned by the mouse.

/** A view on a canvas; `show(robot, rows)` draws links at poses, twelve numbers a link: the rows of [R p]. */
function robotView(canvas) {
  const context = canvas.getContext("2d");
  let yaw = 0.7, pitch = 0.35, zoom = 1, robot = null, rows = [], middle = [0, 0, 0], reach = 1, floor = 0;

  const place = (link, [x, y, z]) => {
    if (link === 0) return [x, y, z];
    const at = 12 * (link - 1);
    return [0, 4, 8].map((k) => rows[at + k] * x + rows[at + k + 1] * y + rows[at + k + 2] * z + rows[at + k + 3]);
  };
  function seen([x, y, z]) {
    const [a, b, c] = [x - middle[0], y - middle[1], z - middle[2]];
    const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
    const [u, v] = [cy * a - sy * b, sy * a + cy * b];
    const scale = (0.42 * Math.min(canvas.width, canvas.height) * zoom) / reach;
    return [canvas.width / 2 + scale * u, canvas.height / 2 - scale * (cp * c + sp * v), cp * v - sp * c, scale];
  }
  function stroke(a, b, colour, width) {
    const [p, q] = [seen(a), seen(b)];
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(p[0], p[1]);
    context.lineTo(q[0], q[1]);
    context.stroke();
  }
  /** Lines to draw: from each link's origin to its joints and its end, and the axes of joints. */
  function lines() {
    const number = Object.fromEntries(robot.links.map((link, i) => [link.name, i])), found = [];
    const depth = { [robot.links[0].name]: 0 }, radius = 0.035 * reach;
    for (const joint of robot.joints) depth[joint.child] = depth[joint.parent] + 1;
    const rods = new Map(robot.links.map((link) => [link.name, []]));
    for (const joint of robot.joints) rods.get(joint.parent).push(joint.origin);
    for (const { link, at } of robot.loops ? robot.loops.ends : []) rods.get(link).push(at);
    for (const [link, own] of rods) {
      const mass = robot.links[number[link]], end = robot.ends[link] || (mass.mass > 0 ? mass.com.map((x) => 2 * x) : null);
      if (!own.length && end && number[link]) own.push(end);
      const colour = mass.colour || (number[link] ? ["#4878b0", "#e0893a"][depth[link] % 2] : "#8a8f98");
      for (const point of own) found.push({ a: place(number[link], [0, 0, 0]), b: place(number[link], point), colour, width: 0.045 });
    }
    for (const joint of robot.joints) {
      const axis = joint.axis.length === 3 ? joint.axis : [0, 0, 1], at = number[joint.child];
      const [a, b] = [-1, 1].map((s) => place(at, axis.map((x) => s * radius * x)));
      found.push({ a, b, colour: joint.type === "prismatic" ? "#7a5195" : themed("--faint"), width: 0.075 });
    }
    return found;
  }
  const themed = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  function ground() {
    const grid = themed("--grid");
    context.globalAlpha = 0.35;
    for (let i = -4; i <= 4; ++i) {
      const s = (i * reach) / 3, e = (4 * reach) / 3, z = floor;
      stroke([s, -e, z], [s, e, z], grid, 1);
      stroke([-e, s, z], [e, s, z], grid, 1);
    }
    context.globalAlpha = 1;
  }
  function draw() {
    context.clearRect(0, 0, canvas.width, canvas.height);
    if (!robot) return;
    ground();
    context.lineCap = "round";
    const halo = themed("--halo");
    const found = lines().map((line) => ({ ...line, depth: seen(line.a)[2] + seen(line.b)[2] }));
    for (const { a, b, colour, width } of found.sort((x, y) => y.depth - x.depth)) {
      stroke(a, b, halo, width * 0.42 * canvas.height * zoom + 3);
      stroke(a, b, colour, width * 0.42 * canvas.height * zoom);
    }
  }
  /** Let the robot, as it stands now, fill the view. */
  function fit() {
    const points = lines().flatMap(({ a, b }) => [a, b]);
    const [low, high] = [Math.min, Math.max].map((of) => [0, 1, 2].map((k) => of(0, ...points.map((p) => p[k]))));
    floor = low[2];
    middle = low.map((x, k) => (x + high[k]) / 2);
    reach = Math.max(1e-3, 0.58 * Math.hypot(...high.map((x, k) => x - low[k])));
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  let last = null;
  canvas.onpointerdown = (event) => { last = [event.clientX, event.clientY]; canvas.setPointerCapture(event.pointerId); };
  canvas.onpointerup = () => { last = null; };
  canvas.onpointermove = (event) => {
    if (!last) return;
    yaw += (event.clientX - last[0]) / 120;
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
    show(shown, poses) {
      [rows, zoom] = [poses, robot === shown ? zoom : 1];
      const isNew = robot !== shown;
      robot = shown;
      if (isNew) { reach = 1; fit(); fit(); }
      draw();
    },
  };
}
