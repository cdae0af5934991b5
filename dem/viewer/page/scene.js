// Three dimensions: spheres are exact (a ray meets each), cylinders, lines and surfaces are what they are made of.
// Grains are instances of a surface: place, scale, turn (w, x, y, z) and colour of each.
const HEAD = "#version 300 es\nprecision highp float;\n";
const SHADE = `vec3 shade(vec3 ink, vec3 n) {
  float key = max(dot(n, normalize(vec3(-0.35, 0.6, 0.75))), 0.0), fill = 0.5 + 0.5 * n.y;
  return ink * (0.42 + 0.2 * fill + 0.52 * key) * (0.7 + 0.3 * smoothstep(0.0, 0.4, n.z)); }`;
const SHADERS = {
  spheres: [`layout(location=0) in vec2 corner; layout(location=1) in vec4 sphere; layout(location=2) in vec3 ink;
uniform mat4 view, lens; out vec3 point, colour; flat out vec4 ball;
void main() {
  vec3 c = (view * vec4(sphere.xyz, 1)).xyz; float far = max(length(c), sphere.w * 1.0001); vec3 d = normalize(c);
  vec3 right = normalize(cross(d, abs(d.y) < 0.99 ? vec3(0, 1, 0) : vec3(1, 0, 0))), up = cross(right, d);
  float s = sphere.w * far / sqrt(far * far - sphere.w * sphere.w);
  point = c + min(s, 20.0 * sphere.w) * (corner.x * right + corner.y * up); ball = vec4(c, sphere.w); colour = ink;
  gl_Position = lens * vec4(point, 1); }`,
  `in vec3 point, colour; flat in vec4 ball; uniform mat4 lens; out vec4 shown;
${SHADE}
void main() {
  vec3 ray = normalize(point); float along = dot(ray, ball.xyz); vec3 off = ball.xyz - along * ray;
  float inside = ball.w * ball.w - dot(off, off); if (inside < 0.0) discard;
  vec3 hit = (along - sqrt(inside)) * ray; vec4 clip = lens * vec4(hit, 1);
  gl_FragDepth = clamp(0.5 * clip.z / clip.w + 0.5, 0.0, 1.0);
  shown = vec4(shade(colour, (hit - ball.xyz) / ball.w), 1); }`],
  rods: [`layout(location=0) in vec3 corner; layout(location=1) in vec4 a; layout(location=2) in vec3 ink; layout(location=3) in vec3 b;
uniform mat4 view, lens; out vec3 normal, colour;
void main() {
  vec3 d = normalize(b - a.xyz + vec3(1e-12, 0, 0)), u = normalize(cross(d, abs(d.z) < 0.9 ? vec3(0, 0, 1) : vec3(1, 0, 0))), v = cross(d, u);
  vec3 n = corner.x * u + corner.y * v;
  normal = mat3(view) * n; colour = ink; gl_Position = lens * view * vec4(mix(a.xyz, b, corner.z) + a.w * n, 1); }`,
  `in vec3 normal, colour; out vec4 shown;
${SHADE}
void main() { shown = vec4(shade(colour, normalize(normal)), 1); }`],
  grains: [`layout(location=0) in vec3 corner; layout(location=1) in vec3 outward; layout(location=2) in vec4 place;
layout(location=3) in vec4 turn; layout(location=4) in vec3 ink; uniform mat4 view, lens; out vec3 normal, colour;
vec3 turned(vec3 p) { vec3 t = 2.0 * cross(turn.yzw, p); return p + turn.x * t + cross(turn.yzw, t); }
void main() {
  normal = mat3(view) * turned(outward); colour = ink;
  gl_Position = lens * view * vec4(place.xyz + place.w * turned(corner), 1); }`,
  `in vec3 normal, colour; out vec4 shown;
${SHADE}
void main() { shown = vec4(shade(colour, normalize(normal)), 1); }`],
  lines: [`layout(location=0) in vec3 corner; uniform mat4 view, lens; void main() { gl_Position = lens * view * vec4(corner, 1); }`,
  `uniform vec4 ink; out vec4 shown; void main() { shown = ink; }`],
  surfaces: [`layout(location=0) in vec3 corner; uniform mat4 view, lens; out vec3 point;
void main() { vec4 p = view * vec4(corner, 1); point = p.xyz; gl_Position = lens * p; }`,
  `in vec3 point; out vec4 shown; void main() {
  vec3 n = normalize(cross(dFdx(point), dFdy(point))); shown = vec4(vec3(0.45, 0.52, 0.6) * (0.5 + 0.5 * abs(n.z)), 0.16); }`],
};

class Scene {
  constructor(canvas) {
    this.canvas = canvas;
    const gl = this.gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
    if (!gl) throw new Error("this browser shows no WebGL 2: take another one, or ParaView (dem export)");
    this.programs = {};
    for (const [name, [vertex, fragment]] of Object.entries(SHADERS)) this.programs[name] = this.program(vertex, fragment);
    this.buffers = {};
    const quad = [-1, -1, 1, -1, -1, 1, 1, 1], tube = [];
    for (let k = 0; k <= 20; k++) for (const end of [0, 1]) tube.push(Math.cos(k * Math.PI / 10), Math.sin(k * Math.PI / 10), end);
    this.fill("quad", new Float32Array(quad)); this.fill("tube", new Float32Array(tube));
  }
  program(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, HEAD + text); gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    return program;
  }
  fill(name, numbers) {
    const gl = this.gl, buffer = this.buffers[name] ??= { handle: gl.createBuffer() };
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer.handle); gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.DYNAMIC_DRAW);
    buffer.length = numbers.length;
  }
  attribute(place, name, width, stride, offset, each) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[name].handle); gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, width, gl.FLOAT, false, 4 * stride, 4 * offset); gl.vertexAttribDivisor(place, each);
  }
  use(name, camera) {
    const gl = this.gl, program = this.programs[name];
    for (let k = 0; k < 5; k++) gl.disableVertexAttribArray(k);
    gl.useProgram(program);
    gl.uniformMatrix4fv(gl.getUniformLocation(program, "view"), false, camera.view);
    gl.uniformMatrix4fv(gl.getUniformLocation(program, "lens"), false, camera.lens);
    return program;
  }
  draw(camera) {
    const gl = this.gl, count = (name, width) => (this.buffers[name]?.length ?? 0) / width;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0.933, 0.945, 0.957, 1); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    if (count("spheres", 7)) {
      this.use("spheres", camera); this.attribute(0, "quad", 2, 2, 0, 0);
      this.attribute(1, "spheres", 4, 7, 0, 1); this.attribute(2, "spheres", 3, 7, 4, 1);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count("spheres", 7));
    }
    if (count("rods", 10)) {
      this.use("rods", camera); this.attribute(0, "tube", 3, 3, 0, 0);
      this.attribute(1, "rods", 4, 10, 0, 1); this.attribute(2, "rods", 3, 10, 7, 1); this.attribute(3, "rods", 3, 10, 4, 1);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 42, count("rods", 10));
    }
    for (let k = 0; count(`surface${k}`, 6); k++) if (count(`grains${k}`, 11)) {
      const name = `grains${k}`;
      this.use("grains", camera); this.attribute(0, `surface${k}`, 3, 6, 0, 0); this.attribute(1, `surface${k}`, 3, 6, 3, 0);
      this.attribute(2, name, 4, 11, 0, 1); this.attribute(3, name, 4, 11, 4, 1); this.attribute(4, name, 3, 11, 8, 1);
      gl.drawArraysInstanced(gl.TRIANGLES, 0, count(`surface${k}`, 6), count(name, 11));
    }
    if (count("lines", 3)) {
      const program = this.use("lines", camera); this.attribute(0, "lines", 3, 3, 0, 0);
      gl.uniform4f(gl.getUniformLocation(program, "ink"), 0.36, 0.42, 0.5, 1); gl.drawArrays(gl.LINES, 0, count("lines", 3));
    }
    if (count("surfaces", 3)) {
      gl.enable(gl.BLEND); gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA); gl.depthMask(false);
      this.use("surfaces", camera); this.attribute(0, "surfaces", 3, 3, 0, 0);
      gl.drawArrays(gl.TRIANGLES, 0, count("surfaces", 3));
      gl.depthMask(true); gl.disable(gl.BLEND);
    }
  }
}
