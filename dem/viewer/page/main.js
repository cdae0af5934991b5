// What the buttons do.
const at = (id) => document.getElementById(id);
const UNITS = { speed: "m/s", height: "m", spin: "rad/s", force: "N", size: "m", temperature: "K" };
const STOPS = [[0.27, 0, 0.33], [0.28, 0.26, 0.53], [0.19, 0.41, 0.56], [0.13, 0.57, 0.55], [0.21, 0.72, 0.47], [0.56, 0.84, 0.27], [0.99, 0.91, 0.14]];
const state = { frame: 0, playing: false, stale: true, errors: [], spheres: 0 };
let scene, camera, centre = [0, 0, 0], size = 1;

function ink(s) {
  const x = Math.min(0.9999, Math.max(0, s)) * (STOPS.length - 1), k = Math.floor(x), f = x - k;
  return STOPS[k].map((c, i) => c + f * (STOPS[k + 1][i] - c));
}
const inkOfKind = (k) => [1, 3, 5].map((i) => parseInt(INKS[k % INKS.length].slice(i, i + 2), 16) / 255);
const scaled = (p) => p.map((c, i) => (c - centre[i]) / size);

function extent() {  // corners of a box about all particles in all frames
  const lower = [Infinity, Infinity, Infinity], upper = lower.map((c) => -c);
  for (const block of new Set(run.blocks)) if (!block.empty) {
    for (const c of [0, 1, 2]) { lower[c] = Math.min(lower[c], block.lower[c]); upper[c] = Math.max(upper[c], block.upper[c]); }
  }
  return lower[0] < Infinity ? [lower, upper] : [[0, 0, 0], [1, 1, 1]];
}

function frameAll() {
  let lower = [Infinity, Infinity, Infinity], upper = lower.map((c) => -c);
  const widen = (p) => p.forEach((c, i) => { lower[i] = Math.min(lower[i], c); upper[i] = Math.max(upper[i], c); });
  (run.corners[0] ?? (WHAT.walls.length && run.blocks.every((block) => block.empty) ? [] : extent())).forEach(widen);
  WHAT.walls.forEach((wall, w) => {
    const pose = run.poses[0][w], points = [...array(wall.lines)];
    for (let i = 0; i < points.length; i += 3) widen(turned(pose.slice(3), points.slice(i, i + 3)).map((c, k) => c + pose[k]));
  });
  centre = lower.map((c, i) => 0.5 * (c + upper[i])); size = 0.5 * Math.hypot(...lower.map((c, i) => upper[i] - c)) || 1;
}

function limits(name) {
  if (name === "kind") return [0, 1];
  if (name === "size") return ends(Array.from(bodies.variant, (variant) => WHAT.variants[variant].size));
  if (name !== "height") return [Math.min(...new Set(run.blocks.map((block) => block.scales[name + " least"] ?? 0))), Math.max(...new Set(run.blocks.map((block) => block.scales[name + " shown"]))) || 1];
  const [lower, upper] = extent(), corner = (i) => [0, 1, 2].map((c) => ((i >> c) & 1 ? upper : lower)[c]);
  return ends([...Array(8).keys()].map((i) => dot(corner(i), WHAT.up) - WHAT.bottom));
}

function fillBodies(frame, name) {
  const [low, high] = limits(name), balls = [], grains = surfaces.map(() => []), places = new Array(WHAT.particles);
  for (let body = 0; body < WHAT.particles; body++) {
    const place = places[body] = frame.place(body);
    if (!place) continue;
    const colour = name === "kind" ? inkOfKind(bodies.kind[body]) : ink((frame.value(name, body, place) - low) / (high - low || 1));
    const variant = WHAT.variants[bodies.variant[body]], q = frame.turn(body);
    if (variant.surface !== undefined) grains[variant.surface].push(...scaled(place), variant.scale / size, ...q, ...colour);
    variant.radii.forEach((radius, s) => {
      const offset = turns[body] < 0 ? variant.offsets[s] : turned(q, variant.offsets[s]);
      balls.push(...scaled(place.map((c, i) => c + offset[i])), radius / size, ...colour);
    });
  }
  state.spheres = balls.length / 7; scene.places = places;
  scene.fill("spheres", new Float32Array(balls));
  grains.forEach((each, k) => { scene.fill(`surface${k}`, surfaces[k]); scene.fill(`grains${k}`, new Float32Array(each)); });
  state.grains = grains.reduce((sum, each) => sum + each.length / 11, 0);
  const rods = [];
  for (const [a, p, b, r, radius, breaks, longest] of WHAT.rods) {
    if (!places[a] || (b >= 0 && !places[b]) || (breaks !== null && frame.time >= breaks)) continue;
    const from = turned(frame.turn(a), p).map((c, i) => c + places[a][i]);
    const to = b < 0 ? r : turned(frame.turn(b), r).map((c, i) => c + places[b][i]);
    if (Math.hypot(...to.map((c, i) => c - from[i])) > longest) continue;
    const colour = name === "kind" ? inkOfKind(bodies.kind[a]) : ink((frame.value(name, a, places[a]) - low) / (high - low));
    rods.push(...scaled(from), radius / size, ...scaled(to), ...colour);
  }
  scene.fill("rods", new Float32Array(rods)); state.rods = rods.length / 10;
}

function fillWalls(frame) {
  const lines = [], surfaces = [], corners = run.corners[frame.k], cell = run.cell[frame.k], axes = [0, 1, 2];
  const corner = (m) => axes.map((c) => (cell ? axes.reduce((sum, k) => sum + ((m >> k) & 1) * cell[3 * c + k], 0) : corners[(m >> c) & 1][c]));
  if (corners) for (let k = 0; k < 8; k++) for (const bit of [1, 2, 4]) if (!(k & bit)) {
    for (const m of [k, k | bit]) lines.push(...scaled(corner(m)));
  }
  WHAT.walls.forEach((wall, w) => {
    const [from, until] = wall.present, time = frame.time * (1 + 1e-9);
    if (time < from || (until !== null && time >= until)) return;
    const pose = run.poses[frame.k][w], q = pose.slice(3);
    for (const [given, into] of [[wall.lines, lines], [wall.triangles, surfaces]]) {
      const points = array(given);
      for (let i = 0; i < points.length; i += 3) into.push(...scaled(turned(q, [...points.subarray(i, i + 3)]).map((c, k) => c + pose[k])));
    }
  });
  scene.fill("lines", new Float32Array(lines)); scene.fill("surfaces", new Float32Array(surfaces));
}

function show(k) {
  if (!run.time.length) return;
  state.frame = Math.max(0, Math.min(run.time.length - 1, Math.round(k)));
  const frame = new Frame(state.frame), name = at("colour").value;
  fillBodies(frame, name); fillWalls(frame);
  at("slider").max = run.time.length - 1; at("slider").value = state.frame;
  at("time").value = `t = ${frame.time.toPrecision(4)} s`;
  at("bar").style.display = name === "kind" ? "none" : "";
  const [low, high] = limits(name);
  const [per, unit] = name in UNITS || name === "kind" ? prefixed([low, high], UNITS[name] ?? "") : [1, WHAT.units[name]];
  at("high").textContent = `${(high / per).toPrecision(3)} ${unit}`; at("low").textContent = (low / per).toPrecision(3); at("name").textContent = name;
  if (!at("energies").parentElement.hidden && !document.querySelector("aside").hidden) drawEnergies(at("energy"), state.frame);
  state.stale = true;
}

function met(surface, from, ray) {  // distance along a ray at which it enters a surface, infinite if it does not
  const a = [0, 0, 0], u = [0, 0, 0], v = [0, 0, 0], to = [0, 0, 0];
  const cross = (p, q) => [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
  if (dot(from, from) - dot(from, ray) ** 2 > 1) return Infinity;
  for (let t = 0; t < surface.length; t += 18) {
    for (const c of [0, 1, 2]) { a[c] = surface[t + c]; u[c] = surface[t + 6 + c] - a[c]; v[c] = surface[t + 12 + c] - a[c]; to[c] = from[c] - a[c]; }
    const n = cross(ray, v), whole = dot(u, n);
    if (whole <= 0) continue;  // seen from inside, or on edge
    const m = cross(to, u), s = dot(to, n) / whole, r = dot(ray, m) / whole;
    if (s >= 0 && r >= 0 && s + r <= 1) return dot(v, m) / whole;
  }
  return Infinity;
}

function pick(x, y) {
  const ray = camera.ray(x, y), frame = new Frame(state.frame);
  let nearest = Infinity, found = -1;
  scene.places.forEach((place, body) => {
    if (!place) return;
    const variant = WHAT.variants[bodies.variant[body]], q = frame.turn(body);
    variant.radii.forEach((radius, s) => {
      const p = scaled(place.map((c, i) => c + turned(q, variant.offsets[s])[i])), to = p.map((c, i) => c - camera.eye[i]);
      const along = dot(to, ray), inside = (radius / size) ** 2 - (dot(to, to) - along * along);
      if (inside > 0 && along - Math.sqrt(inside) < nearest) { nearest = along - Math.sqrt(inside); found = body; }
    });
    if (variant.surface === undefined) return;
    const back = [q[0], -q[1], -q[2], -q[3]], scale = variant.scale / size;
    const from = turned(back, camera.eye.map((c, i) => (c - scaled(place)[i]) / scale)), along = scale * met(surfaces[variant.surface], from, turned(back, ray));
    if (along < nearest) { nearest = along; found = body; }
  });
  at("picked").textContent = found < 0 ? "" : [`particle ${found}, ${WHAT.kinds[bodies.kind[found]]}`,
    `at ${frame.place(found).map((c) => c.toPrecision(4)).join(", ")} m`,
    ...WHAT.scalars.map((name) => `${name} ${frame.scalar(name, found).toPrecision(3)} ${UNITS[name] ?? WHAT.units[name]}`)].join("\n");
}

function paint() {
  const canvas = at("scene"), ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
  if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; state.stale = true; }
  if (state.stale && w && h) { camera.look(w, h); scene.draw(camera); state.stale = false; }
}

let before = 0, due = 0;
function tick(now) {
  if (state.playing && run.time.length > 1) {
    due += (now - before) / 1000 * 20 * Number(at("pace").value);
    if (due >= 1) {
      const next = state.frame + Math.floor(due); due %= 1;
      show(next >= run.time.length ? (state.live ? run.time.length - 1 : 0) : next);
    }
  }
  before = now; paint(); requestAnimationFrame(tick);
}

function listen() {
  const canvas = at("scene"); let last = null, travelled = 0;
  canvas.addEventListener("pointerdown", (e) => { last = e; travelled = 0; canvas.setPointerCapture(e.pointerId); });
  canvas.addEventListener("pointermove", (e) => {
    if (!last) return;
    const dx = (e.clientX - last.clientX) / canvas.clientWidth, dy = (e.clientY - last.clientY) / canvas.clientHeight;
    travelled += Math.abs(dx) + Math.abs(dy); last = e;
    camera.drag(dx, dy, e.shiftKey || e.buttons > 1); state.stale = true;
  });
  canvas.addEventListener("pointerup", (e) => {
    const r = canvas.getBoundingClientRect();
    if (last && travelled < 0.005) pick(2 * (e.clientX - r.left) / r.width - 1, 1 - 2 * (e.clientY - r.top) / r.height);
    last = null;
  });
  canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  canvas.addEventListener("wheel", (e) => { e.preventDefault(); camera.zoom(Math.exp(e.deltaY * 0.001)); state.stale = true; }, { passive: false });
  const play = () => { state.playing = !state.playing; at("play").textContent = state.playing ? "pause" : "play"; };
  at("play").onclick = play; at("slider").oninput = (e) => show(Number(e.target.value)); at("colour").onchange = () => show(state.frame);
  at("reset").onclick = () => { camera.reset(); state.stale = true; };
  at("energies").onchange = (e) => { document.querySelector("aside").hidden = !e.target.checked; show(state.frame); };
  at("energy").onclick = (e) => { const r = e.target.getBoundingClientRect(), t = run.time[0] + (run.time.at(-1) - run.time[0]) * (e.clientX - r.left - 8) / (r.width - 16);
    show(run.time.findIndex((each) => each >= t) < 0 ? run.time.length - 1 : run.time.findIndex((each) => each >= t)); };
  window.addEventListener("resize", () => show(state.frame));
  document.addEventListener("keydown", (e) => {
    if (e.target.tagName === "SELECT") return;
    if (e.code === "Space") { e.preventDefault(); if (e.target.tagName !== "BUTTON") play(); }
    if (e.code === "ArrowRight") show(state.frame + 1);
    if (e.code === "ArrowLeft") show(state.frame - 1);
  });
}

function tellAbout(words) { const [first, ...rest] = words.split("\n"); at("about").textContent = first; at("verdict").textContent = rest.join(" "); }

function trouble(error) { state.errors.push(String(error?.message ?? error)); at("trouble").textContent = state.errors.at(-1); }
window.addEventListener("error", (e) => trouble(e.error ?? e.message));
window.addEventListener("unhandledrejection", (e) => trouble(e.reason));
window.dem = { state, run, show, colour: (name) => { at("colour").value = name; show(state.frame); } };

async function begin() {
  for (const block of JSON.parse(at("blocks").textContent)) await take(block);
  tellAbout(WHAT.about);
  at("colour").replaceChildren(...["speed", "height", "spin", "kind", "size", "force", "temperature"].filter((name) => ["height", "kind", "size"].includes(name) || WHAT.scalars.includes(name)).concat(Object.keys(WHAT.units)).map((name) => new Option(name)));
  const pen = at("ramp").getContext("2d");
  for (let y = 0; y < 120; y++) { pen.fillStyle = `rgb(${ink(1 - y / 119).map((c) => Math.round(255 * c)).join()})`; pen.fillRect(0, y, 12, 1); }
  scene = new Scene(at("scene")); camera = new Camera(WHAT.up);
  frameAll(); listen(); show(run.time.length - 1); requestAnimationFrame(tick); state.ready = true;
  if (typeof follow === "function") follow();
}
begin().catch(trouble);
