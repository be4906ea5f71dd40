// Triangles of mesh files: STL, OBJ and COLLADA, the last with the colours of its materials.

/** The parts of a mesh file, one a colour: { triangles, colour }, nine coordinates (m) a triangle, "" for no colour. */
async function readMesh(file) {
  const name = file.name.toLowerCase();
  if (name.endsWith(".stl")) return [{ triangles: stlTriangles(await file.arrayBuffer()), colour: "" }];
  if (name.endsWith(".obj")) return [{ triangles: objTriangles(await file.text()), colour: "" }];
  return colladaParts(new DOMParser().parseFromString(await file.text(), "text/xml"));
}

function stlTriangles(buffer) {
  const view = new DataView(buffer), count = buffer.byteLength > 84 ? view.getUint32(80, true) : 0;
  if (buffer.byteLength !== 84 + 50 * count) {
    const words = new TextDecoder().decode(buffer).matchAll(/vertex\s+(\S+)\s+(\S+)\s+(\S+)/g);
    return Float32Array.from([...words].flatMap(([, ...xyz]) => xyz.map(Number)));
  }
  const found = new Float32Array(9 * count);
  for (let i = 0; i < count; ++i) for (let k = 0; k < 9; ++k) found[9 * i + k] = view.getFloat32(96 + 50 * i + 4 * k, true);
  return found;
}

function objTriangles(text) {
  const points = [], found = [];
  for (const line of text.split("\n")) {
    const [word, ...rest] = line.trim().split(/\s+/);
    if (word === "v") points.push(rest.slice(0, 3).map(Number));
    if (word !== "f") continue;
    const corners = rest.map((corner) => parseInt(corner, 10)).map((n) => points[n < 0 ? points.length + n : n - 1]);
    for (let i = 2; i < corners.length; ++i) found.push(...corners[0], ...corners[i - 1], ...corners[i]);
  }
  return Float32Array.from(found);
}

function colladaParts(file) {
  const { product } = solids, numbers = (element) => (element?.textContent.trim() || "").split(/\s+/).map(Number);
  const named = new Map([...file.querySelectorAll("[id]")].map((element) => [element.id, element]));
  const at = (element, attribute) => named.get((element?.getAttribute(attribute) || "").slice(1));
  const children = (element, tag) => [...(element?.children || [])].filter((child) => child.localName === tag);
  const metre = Number(file.querySelector("asset > unit")?.getAttribute("meter") || 1);
  const parts = new Map();

  function colourOf(material) {
    const effect = at(material?.querySelector("instance_effect"), "url"), colour = effect?.querySelector("diffuse > color");
    if (!colour) return "";
    return `#${numbers(colour).slice(0, 3).map((x) => Math.round(255 * Math.min(1, Math.max(0, x))).toString(16).padStart(2, "0")).join("")}`;
  }
  function matrixOf(node) {
    let M = new Float32Array([metre, 0, 0, 0, 0, metre, 0, 0, 0, 0, metre, 0, 0, 0, 0, 1]);
    M = node.parentElement?.localName === "node" ? matrixOf(node.parentElement) : M;
    for (const step of node.children) {
      const x = numbers(step);
      if (step.localName === "matrix") M = product(M, [0, 1, 2, 3].flatMap((j) => [x[j], x[4 + j], x[8 + j], x[12 + j]]));
      if (step.localName === "translate") M = product(M, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, ...x, 1]);
      if (step.localName === "scale") M = product(M, [x[0], 0, 0, 0, 0, x[1], 0, 0, 0, 0, x[2], 0, 0, 0, 0, 1]);
      if (step.localName === "rotate") {
        const half = (x[3] * Math.PI) / 360, size = Math.hypot(x[0], x[1], x[2]) || 1, s = Math.sin(half) / size;
        M = product(M, solids.poseMatrix([0, 0, 0, s * x[0], s * x[1], s * x[2], Math.cos(half)]));
      }
    }
    return M;
  }
  /** The corners of polygons: places of the positions, polygon after polygon. */
  function polygonsOf(list) {
    const inputs = children(list, "input"), stride = 1 + Math.max(...inputs.map((input) => Number(input.getAttribute("offset"))));
    const vertex = inputs.find((input) => input.getAttribute("semantic") === "VERTEX"), offset = Number(vertex.getAttribute("offset"));
    const position = children(at(vertex, "source"), "input").find((input) => input.getAttribute("semantic") === "POSITION");
    const source = at(position, "source"), step = Number(source.querySelector("accessor")?.getAttribute("stride") || 3);
    const coordinates = numbers(source.querySelector("float_array"));
    const point = (i) => coordinates.slice(step * i, step * i + 3);
    const split = (places, sizes) => { let from = 0; return sizes.map((size) => places.slice(from, (from += size))); };
    const read = (p) => { const all = numbers(p); return all.filter((_, i) => i % stride === offset); };
    const lists = children(list, "p").map(read);
    if (list.localName === "polygons") return lists.map((places) => places.map(point));
    const places = lists.flat(), sizes = list.localName === "polylist" ? numbers(children(list, "vcount")[0]) : Array(Math.floor(places.length / 3)).fill(3);
    return split(places, sizes).map((polygon) => polygon.map(point));
  }
  for (const use of file.querySelectorAll("visual_scene instance_geometry")) {
    const M = matrixOf(use.parentElement), mesh = children(at(use, "url"), "mesh")[0];
    const materials = new Map([...use.querySelectorAll("instance_material")].map((bound) => [bound.getAttribute("symbol"), at(bound, "target")]));
    for (const list of [...mesh.children].filter(({ localName }) => ["triangles", "polylist", "polygons"].includes(localName))) {
      const colour = colourOf(materials.get(list.getAttribute("material")));
      if (!parts.has(colour)) parts.set(colour, []);
      const place = ([x, y, z]) => [0, 1, 2].map((i) => M[i] * x + M[4 + i] * y + M[8 + i] * z + M[12 + i]);
      for (const polygon of polygonsOf(list).map((corners) => corners.map(place)))
        for (let i = 2; i < polygon.length; ++i) parts.get(colour).push(...polygon[0], ...polygon[i - 1], ...polygon[i]);
    }
  }
  return [...parts].map(([colour, found]) => ({ triangles: Float32Array.from(found), colour }));
}
