// Closed chains: independent joints go where sliders tell them, the others follow; so do their velocities.

/** The loops of a robot, null for a tree; positions are q, x counts them in coordinates of velocity from the neutral one. */
function loopsOf({ loops, joints }) {
  if (!loops) return null;
  const { memory, place, close, slopes } = instance(loops.module);
  const numbers = new Float64Array(memory.buffer), width = loops.start.length;
  const call = (run, given, count) => { numbers.set(given); run(); return numbers.slice(given.length, given.length + count); };
  const errors = (x) => call(close, x, loops.rows);
  const positions = joints.reduce((sum, joint) => sum + joint.nq, 0);
  const q = (x) => [...call(place, x, positions)];
  let x = Float64Array.from(loops.start);
  return {
    get q() { return q(x); },
    rest() { x = Float64Array.from(loops.start); return q(x); },
    errors: () => [...errors(x)],
    /** Move an independent coordinate as far as the loops can be closed; whether it gets there. */
    move(coordinate, value, step) {
      let arrived;
      [x, arrived] = follow(errors, loops.dependent, x, coordinate, value, step);
      return arrived;
    },
    at: (coordinate) => x[coordinate],
    /** Velocities at a position, those of dependent coordinates such that K qd = 0. */
    velocities(at, qd) {
      const K = call(slopes, at, loops.rows * width), rows = [...Array(loops.rows).keys()];
      const column = (k) => rows.map((row) => K[width * row + k]);
      const free = qd.map((value, k) => (loops.dependent.includes(k) ? 0 : value));
      const rest = nearest(loops.dependent.map(column), rows.map((row) => -free.reduce((sum, value, k) => sum + K[width * row + k] * value, 0)));
      loops.dependent.forEach((k, i) => { free[k] = rest[i]; });
      return free;
    },
  };
}
