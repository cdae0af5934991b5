// Ask for what has been written since, until the run has ended.
const MOST = 400e6;  // bytes of numbers that a page keeps
async function follow() {
  state.live = true; let kept = 0;
  for (;;) {
    let given;
    try { given = await (await fetch(`blocks?after=${(run.number.at(-1) ?? -1) + 1}&particles=${WHAT.particles}`)).json(); }
    catch { at("about").textContent += "; no longer followed"; break; }
    const last = state.frame === run.time.length - 1;
    if (given.what) adopt(given.what);
    for (const block of given.blocks) { await take(block); kept += block.frames * block.fields.reduce((sum, [, width]) => sum + 2 * width, 0); }
    tellAbout(given.about);
    if (given.blocks.length) show(last ? run.time.length - 1 : state.frame);
    if (kept > MOST) { at("about").textContent += "; this page is full: load it again to go on"; break; }
    if (given.ended && !given.blocks.length) break;
    await new Promise((resolve) => setTimeout(resolve, given.blocks.length ? 200 : 1000));
  }
  state.live = false;
}
