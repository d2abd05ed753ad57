// Drags, switches and resets for some minutes, and watches memory: `node soak.mjs MINUTES`. It ends with an error if memory grows without end, if anything fails, or if the page freezes.

import assert from "node:assert/strict";
import { Visitor, serve } from "./browser.mjs";

const MINUTES = Number(process.argv[2] ?? 60);
assert.ok(MINUTES > 0, "usage: node soak.mjs MINUTES");
// Memory of wasm grows in leaps and never shrinks; in half of the time it has what it needs.
const GROWTH = 1.25;

const MB = (bytes) => (bytes / 1e6).toFixed(0);
const site = await serve();
try {
  await Visitor.visit(`${site.address}?graphics=webgl2`, async (visitor) => {
    const { page } = visitor;
    const random = (() => {
      // So that a failure comes again.
      let seed = 1;
      return (most) => ((seed = (seed * 48271) % 2147483647) / 2147483647) * most;
    })();
    const inside = async () => {
      const { picture } = await visitor.state();
      const [left, top] = await visitor.corner();
      return [left + picture[0] + random(picture[2]), top + picture[1] + random(picture[3])];
    };
    const actions = {
      drag: async () => visitor.stroke([await inside(), await inside(), await inside()], () => new Promise((resolve) => setTimeout(resolve, 500))),
      cut: async () => {
        await visitor.key("c");
        await visitor.stroke([await inside(), await inside()]);
        await visitor.key("g");
      },
      drop: async () => {
        await page.mouse.move(...(await inside()));
        await visitor.key(String(1 + Math.floor(random(4))));
      },
      reset: () => visitor.key("r"),
      open: async () => {
        const scenes = ["curtain", "flag", "jelly-cubes", "tent"];
        await page.evaluate((name) => (location.hash = `#scene=${name}`), scenes[Math.floor(random(scenes.length))]);
      },
    };
    await visitor.pass(3);
    const begun = Date.now();
    const rows = [];
    let count = 0;
    while (Date.now() - begun < MINUTES * 60_000) {
      const name = Object.keys(actions)[Math.floor(random(5))];
      await actions[name]();
      count++;
      // A world that cannot go on stands still until it is reset, but page and simulation answer.
      const answer = await visitor.memory();
      assert.ok(answer.silence < 60_000, `the simulation has been silent for ${answer.silence} ms`);
      rows.push({ time: Date.now() - begun, ...answer });
      if (count % 10 === 1) console.log(`${((Date.now() - begun) / 60_000).toFixed(1)} min, ${count} actions: view ${MB(answer.view)} MB, simulation ${MB(answer.simulation)} MB, JavaScript ${MB(answer.script)} MB`);
      assert.deepEqual(visitor.complaints, []);
      assert.equal(await page.locator("#messages .alarm").count(), 0, "there is an alarm");
    }
    for (const key of ["view", "simulation"]) {
      const most = (from, to) => Math.max(...rows.filter(({ time }) => time >= from * MINUTES * 60_000 && time <= to * MINUTES * 60_000).map((row) => row[key]));
      const [early, late] = [most(0, 0.5), most(0.5, 1)];
      console.log(`${key}: at most ${MB(early)} MB in the first half, ${MB(late)} MB in the second`);
      assert.ok(late <= GROWTH * early, `the memory of ${key} grows`);
    }
    await visitor.page.evaluate(() => (location.hash = "#scene=curtain"));
    await visitor.wait("it still opens scenes", (state) => state.vertices === 625);
    await visitor.pass(10);
    console.log(`${count} actions in ${MINUTES} minutes`);
  });
} finally {
  site.end();
}
