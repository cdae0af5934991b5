"use strict";
// What the page was given: blocks of frames, numbers of 16 bits, differences from frame to frame, deflated.
let WHAT, bodies, turns, surfaces;
const ABSENT = 65535;
const run = { time: [], number: [], energy: {}, corners: [], cell: [], poses: [], blocks: [], start: [] };

function bytesOf(text) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

async function inflated(text) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function joined(bytes) {  // low bytes, then high bytes
  const n = bytes.length / 2, numbers = new Uint16Array(n);
  for (let i = 0; i < n; i++) numbers[i] = bytes[i] | (bytes[n + i] << 8);
  return numbers;
}

async function take(block) {
  const numbers = joined(await inflated(block.data)), fields = {};
  let first = 0;
  for (const [name, width] of block.fields) {
    const field = numbers.subarray(first, first += block.frames * width);
    for (let i = width; i < field.length; i++) field[i] += field[i - width];
    fields[name] = field;
  }
  const kept = { fields, particles: block.particles, turning: (fields.orientation?.length ?? 0) / block.frames / 4, empty: block.empty, lower: block.lower, upper: block.upper, scales: block.scales };
  for (let k = 0; k < block.frames; k++) { run.blocks.push(kept); run.start.push(k); }
  for (const name of ["time", "number", "corners", "cell", "poses"]) run[name].push(...block[name]);
  for (const name in block.energy) (run.energy[name] ??= []).push(...block.energy[name]);
}

const typed = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array };
const array = (given) => new typed[given[0]](bytesOf(given[1]).buffer);
function adopt(what) {  // what does not change from frame to frame
  WHAT = what;
  bodies = { variant: array(what.variant), kind: array(what.kind) };
  turns = new Int32Array(what.particles).fill(-1);
  array(what.turning).forEach((body, m) => { turns[body] = m; });
  surfaces = what.surfaces.map((given) => smooth(array(given.points), array(given.triangles)));
}
function smooth(points, triangles) {  // corners of all triangles, each with the mean normal about its vertex, by areas
  const normals = new Float32Array(points.length), corner = (i, c) => points[3 * triangles[i] + c];
  for (let t = 0; t < triangles.length; t += 3) {
    const u = [0, 1, 2].map((c) => corner(t + 1, c) - corner(t, c)), v = [0, 1, 2].map((c) => corner(t + 2, c) - corner(t, c));
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    for (let i = t; i < t + 3; i++) for (const c of [0, 1, 2]) normals[3 * triangles[i] + c] += n[c];
  }
  const flat = new Float32Array(6 * triangles.length);
  triangles.forEach((vertex, i) => {
    const n = normals.subarray(3 * vertex, 3 * vertex + 3), length = Math.hypot(...n) || 1;
    for (const c of [0, 1, 2]) { flat[6 * i + c] = points[3 * vertex + c]; flat[6 * i + 3 + c] = n[c] / length; }
  });
  return flat;
}
adopt(JSON.parse(document.getElementById("what").textContent));

function turned(q, p) {  // q p q*, scalar first
  const [w, x, y, z] = q;
  const tx = 2 * (y * p[2] - z * p[1]), ty = 2 * (z * p[0] - x * p[2]), tz = 2 * (x * p[1] - y * p[0]);
  return [p[0] + w * tx + y * tz - z * ty, p[1] + w * ty + z * tx - x * tz, p[2] + w * tz + x * ty - y * tx];
}

class Frame {  // one moment, as far as anything is asked of it
  constructor(k) {
    this.k = k; this.block = run.blocks[k]; this.at = run.start[k];
    this.step = this.block.upper.map((u, c) => (u - this.block.lower[c]) / 65534);
  }
  get time() { return run.time[this.k]; }
  place(body) {
    const x = this.block.fields.position, i = (this.at * this.block.particles + body) * 3;
    if (body >= this.block.particles || x[i] === ABSENT) return null;
    return [0, 1, 2].map((c) => this.block.lower[c] + x[i + c] * this.step[c]);
  }
  turn(body) {
    if (turns[body] < 0) return [1, 0, 0, 0];
    const q = this.block.fields.orientation, i = (this.at * this.block.turning + turns[body]) * 4;
    const found = [0, 1, 2, 3].map((c) => (q[i + c] - 32768) / 32767), norm = Math.hypot(...found) || 1;
    return found.map((c) => c / norm);
  }
  scalar(name, body) {
    return (this.block.scales[name + " from"] ?? 0) + this.block.fields[name][this.at * this.block.particles + body] * this.block.scales[name] / 65535;
  }
  height(place) { return place[0] * WHAT.up[0] + place[1] * WHAT.up[1] + place[2] * WHAT.up[2] - WHAT.bottom; }
  value(name, body, place) {
    if (name === "size") return WHAT.variants[bodies.variant[body]].size;
    return name === "kind" ? bodies.kind[body] : name === "height" ? this.height(place) : this.scalar(name, body);
  }
}
