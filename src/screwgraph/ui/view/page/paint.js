// Painting with WebGL: solids with light, their shadows on the ground, and lines of constant width.
const SOLID_VERTEX = `attribute vec3 position, normal; uniform mat4 camera, pose; uniform mat3 turn; varying vec3 n, p;
void main() { vec4 world = pose * vec4(position, 1.0); p = world.xyz; n = turn * normal; gl_Position = camera * world; }`;
const SOLID_FRAGMENT = `precision mediump float; varying vec3 n, p; uniform vec3 colour, up, eye; uniform float lit;
void main() {
  vec3 m = normalize(n), v = normalize(eye - p), l = normalize(v + 1.2 * up);
  if (dot(m, v) < 0.0) m = -m;
  float light = 0.66 + 0.16 * dot(m, up) + 0.34 * max(dot(m, l), 0.0);
  float gloss = 0.10 * pow(max(dot(reflect(-l, m), v), 0.0), 24.0);
  gl_FragColor = vec4(mix(colour, colour * light + gloss, lit), 1.0);
}`;
const LINE_VERTEX = `attribute vec3 start, finish; attribute vec2 corner; uniform mat4 camera; uniform vec2 window; uniform float width;
void main() {
  vec4 a = camera * vec4(start, 1.0), b = camera * vec4(finish, 1.0);
  float near = 1e-3;
  if (a.w < near) a = mix(a, b, (near - a.w) / (b.w - a.w));
  if (b.w < near) b = mix(b, a, (near - b.w) / (a.w - b.w));
  vec2 along = (b.xy / b.w - a.xy / a.w) * window;
  along = length(along) > 0.0 ? normalize(along) : vec2(1.0, 0.0);
  vec4 end = corner.x < 0.5 ? a : b;
  vec2 aside = (vec2(-along.y, along.x) * corner.y + along * (2.0 * corner.x - 1.0) * 0.5) * width / window;
  gl_Position = end + vec4(aside * end.w, 0.0, 0.0);
}`;
const LINE_FRAGMENT = `precision mediump float; uniform vec3 colour; void main() { gl_FragColor = vec4(colour, 1.0); }`;

function program(gl, vertex, fragment) {
  const made = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error("the shaders do not compile: " + gl.getProgramInfoLog(made));
  const places = {program: made};
  for (let i = 0; i < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); i++) {
    const name = gl.getActiveUniform(made, i).name;
    places[name] = gl.getUniformLocation(made, name);
  }
  for (let i = 0; i < gl.getProgramParameter(made, gl.ACTIVE_ATTRIBUTES); i++) {
    const name = gl.getActiveAttrib(made, i).name;
    places[name] = gl.getAttribLocation(made, name);
  }
  return places;
}

function painter(gl) {
  const solid = program(gl, SOLID_VERTEX, SOLID_FRAGMENT), line = program(gl, LINE_VERTEX, LINE_FRAGMENT);
  const meshes = {};
  function keep(name, rows) {
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(rows), gl.STATIC_DRAW);
    meshes[name] = {buffer, count: rows.length / 6};
  }
  for (const [name, rows] of Object.entries({box: boxMesh(), sphere: sphereMesh(), cylinder: cylinderMesh()})) keep(name, rows);
  const ribbon = gl.createBuffer();
  gl.enable(gl.DEPTH_TEST);

  function attributes(place, names, sizes) {
    const stride = 4 * sizes.reduce((a, b) => a + b);
    let offset = 0;
    names.forEach((name, i) => {
      gl.enableVertexAttribArray(place[name]);
      gl.vertexAttribPointer(place[name], sizes[i], gl.FLOAT, false, stride, offset);
      offset += 4 * sizes[i];
    });
  }

  // items: {mesh, matrix, colour}; lit 1 with light, 0 in the bare colour.
  function solids(view, items, lit) {
    gl.useProgram(solid.program);
    gl.uniformMatrix4fv(solid.camera, false, view.camera);
    gl.uniform3fv(solid.up, view.up);
    gl.uniform3fv(solid.eye, view.eye);
    gl.uniform1f(solid.lit, lit);
    for (const name of Object.keys(meshes)) {
      gl.bindBuffer(gl.ARRAY_BUFFER, meshes[name].buffer);
      attributes(solid, ["position", "normal"], [3, 3]);
      for (const item of items) {
        if (item.mesh !== name) continue;
        gl.uniformMatrix4fv(solid.pose, false, item.matrix);
        gl.uniformMatrix3fv(solid.turn, false, normalMatrix(item.matrix));
        gl.uniform3fv(solid.colour, item.colour);
        gl.drawArrays(gl.TRIANGLES, 0, meshes[name].count);
      }
    }
  }

  // segments: [start, finish] pairs of points.
  function lines(view, segments, colour, width) {
    if (!segments.length) return;
    const rows = [];
    for (const [a, b] of segments)
      for (const [end, side] of [[0, -1], [1, -1], [1, 1], [0, -1], [1, 1], [0, 1]]) rows.push(...a, ...b, end, side);
    gl.useProgram(line.program);
    gl.bindBuffer(gl.ARRAY_BUFFER, ribbon);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(rows), gl.DYNAMIC_DRAW);
    attributes(line, ["start", "finish", "corner"], [3, 3, 2]);
    gl.uniformMatrix4fv(line.camera, false, view.camera);
    gl.uniform2f(line.window, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.uniform1f(line.width, width * view.ratio);
    gl.uniform3fv(line.colour, colour);
    gl.drawArrays(gl.TRIANGLES, 0, rows.length / 8);
  }
  return {keep, solids, lines};
}
