// Energies beside it.
const INKS = ["#1b6ca8", "#d1495b", "#3a9e5c", "#e09f3e", "#7a4fa3", "#3bb0b5", "#8c6d46", "#222831"];

const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"], [1e-15, "f"]];

function prefixed(values, unit) {  // what to divide values by, and the unit with its prefix, after the largest of them
  const largest = Math.max(...ends(values.map(Math.abs))), found = PREFIXES.find(([factor]) => largest >= 0.5 * factor);
  return found && unit ? [found[0], found[1] + unit] : [1, unit];
}

function drawEnergies(canvas, frame) {
  const names = Object.keys(run.energy), ratio = window.devicePixelRatio || 1;
  canvas.width = canvas.clientWidth * ratio; canvas.height = canvas.clientHeight * ratio;
  const pen = canvas.getContext("2d"), w = canvas.clientWidth, h = canvas.clientHeight;
  pen.scale(ratio, ratio); pen.font = "11px system-ui, sans-serif";
  const values = names.flatMap((name) => run.energy[name].filter(Number.isFinite));
  if (!values.length) return;
  let low = Math.min(0, ...ends(values)), high = Math.max(...ends(values));
  if (!(high > low)) high = low + 1;
  const span = run.time.at(-1) - run.time[0] || 1, left = 8, top = 16, bottom = h - 18;
  const x = (t) => left + (w - 2 * left) * (t - run.time[0]) / span, y = (e) => bottom - (bottom - top) * (e - low) / (high - low);
  pen.strokeStyle = "#d3d9e0"; pen.beginPath(); pen.moveTo(left, y(0)); pen.lineTo(w - left, y(0)); pen.stroke();
  names.forEach((name, k) => {
    pen.strokeStyle = INKS[k % INKS.length]; pen.lineWidth = name === "total" ? 2 : 1.3; pen.beginPath();
    run.energy[name].forEach((e, i) => { if (Number.isFinite(e)) pen.lineTo(x(run.time[i]), y(e)); });
    pen.stroke();
  });
  pen.fillStyle = "#55606e"; const [per, joule] = prefixed(values, "J");
  pen.fillText(`${(high / per).toPrecision(3)} ${joule}`, left, 11); pen.fillText(`${(low / per).toPrecision(3)} ${joule}`, left, h - 5);
  pen.textAlign = "right"; pen.fillText(`${run.time.at(-1).toPrecision(3)} s`, w - left, h - 5); pen.textAlign = "left";
  pen.strokeStyle = "#1c2430"; pen.lineWidth = 1; pen.beginPath();
  pen.moveTo(x(run.time[frame]), top - 4); pen.lineTo(x(run.time[frame]), bottom); pen.stroke();
  const legend = document.getElementById("legend");
  legend.replaceChildren(...names.map((name, k) => {
    const row = document.createElement("div"), ink = document.createElement("i");
    ink.style.background = INKS[k % INKS.length];
    const value = run.energy[name][frame];
    row.append(ink, `${name} ${Number.isFinite(value) ? `${(value / per).toPrecision(4)} ${joule}` : ""}`);
    return row;
  }));
}

function ends(values) {  // least and largest; there may be too many for arguments
  let low = Infinity, high = -Infinity;
  for (const v of values) { if (v < low) low = v; if (v > high) high = v; }
  return [low, high];
}
