// What people drop: a robot's file, and meshes or a folder of them beside it.

const ROBOT_FILE = /\.(urdf|xml)$/i, MESH_FILE = /\.(stl|obj|dae)$/i;

/** The files of a drop, { path, file } each, those of folders among them. */
async function droppedFiles(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()), found = [];
  if (!entries.some((entry) => entry?.isDirectory)) return [...transfer.files].map((file) => ({ path: file.name, file }));
  async function walk(entry) {
    if (entry.isFile) found.push({ path: entry.fullPath, file: await new Promise((then, fail) => entry.file(then, fail)) });
    if (!entry.isDirectory) return;
    const reader = entry.createReader();
    for (let some = [0]; some.length;) {
      some = await new Promise((then, fail) => reader.readEntries(then, fail));
      for (const one of some) await walk(one);
    }
  }
  for (const entry of entries) if (entry) await walk(entry);
  return found;
}

/** The file of a mesh among dropped ones: its path ends with most of the folders that the robot's file says; else null. */
function meshAmong(files, said) {
  const words = (path) => path.toLowerCase().split("/").reverse(), wanted = words(said);
  const agreement = ({ path }) => { const n = words(path).findIndex((word, i) => word !== wanted[i]); return n < 0 ? Infinity : n; };
  const [best] = files.filter((each) => agreement(each) > 0).sort((a, b) => agreement(b) - agreement(a));
  return best ? best.file : null;
}

/** Read the meshes that a robot's links name and `files` have, into the view; how many are named, and how many are missing. */
async function dress(robot, files, view) {
  const read = new Map(), dressed = [];
  let [named, missing] = [0, 0];
  for (const link of robot.links) {
    const shapes = [];
    link.named ??= link.shapes; // as the file says
    for (const shape of link.named) {
      if (!shape.file) { shapes.push(shape); continue; }
      named += 1;
      const file = meshAmong(files, shape.file);
      if (!file) { missing += 1; shapes.push({ ...shape, mesh: "missing" }); continue; }
      if (!read.has(file)) {
        const parts = await readMesh(file).catch((error) => { throw new Error(`${file.name}: the mesh is not read: ${error.message}`); });
        const kept = parts.filter(({ triangles }) => triangles.length).map(({ triangles, colour }, i) => {
          const mesh = `${robot.name} ${read.size} ${i} ${file.name}`;
          view.keep(mesh, triangles);
          return { mesh, colour };
        });
        if (!kept.length) throw new Error(`${file.name}: the mesh has no triangles`);
        read.set(file, kept);
      }
      for (const { mesh, colour } of read.get(file)) shapes.push({ ...shape, mesh, colour: shape.own || colour || shape.colour });
    }
    dressed.push(shapes);
  }
  robot.links.forEach((link, i) => { link.shapes = dressed[i]; });
  return { named, missing };
}
