// Where it is looked at from: around a middle, with up being up. Lengths in units of the size of what there is to see.
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => { const n = Math.hypot(...a) || 1; return a.map((c) => c / n); };

class Camera {
  constructor(up) {
    this.up = up;
    this.ahead = unit(cross(up, Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0]));
    if (up[2] > 0.9) this.ahead = [0, 1, 0];  // as in pictures: from the front
    if (up[1] > 0.9) this.ahead = [0, 0, -1];
    this.side = cross(this.ahead, up); this.reset();
  }
  reset() { this.yaw = 0.45; this.pitch = 0.3; this.far = 3.6; this.middle = [0, 0, 0]; }
  get axes() {  // right, up, back
    const [cy, sy, cp, sp] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    const level = this.ahead.map((a, i) => cy * a + sy * this.side[i]);
    const back = this.up.map((u, i) => sp * u - cp * level[i]), right = unit(cross(this.up, back));
    return [right, cross(back, right), back];
  }
  look(width, height) {
    const [r, u, b] = this.axes, eye = this.middle.map((m, i) => m + this.far * b[i]);
    this.view = new Float32Array([r[0], u[0], b[0], 0, r[1], u[1], b[1], 0, r[2], u[2], b[2], 0, -dot(r, eye), -dot(u, eye), -dot(b, eye), 1]);
    const near = Math.max(0.02, this.far - 6), far = this.far + 12, f = 1 / Math.tan(0.3 * Math.max(1, height / width));
    this.f = f; this.aspect = width / height; this.eye = eye;
    this.lens = new Float32Array([f / this.aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0]);
  }
  ray(x, y) {  // through a point of the picture, -1 to 1
    const [r, u, b] = this.axes;
    return unit(r.map((c, i) => c * x * this.aspect / this.f + u[i] * y / this.f - b[i]));
  }
  drag(dx, dy, moving) {
    if (moving) {
      const [r, u] = this.axes, s = this.far / this.f * 2;
      this.middle = this.middle.map((m, i) => m - s * dx * r[i] * this.aspect + s * dy * u[i]);
    } else {
      this.yaw += 4 * dx; this.pitch = Math.min(1.55, Math.max(-1.55, this.pitch + 4 * dy));
    }
  }
  zoom(by) { this.far = Math.min(40, Math.max(0.05, this.far * by)); }
}
