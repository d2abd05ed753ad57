// What goes wrong: each time there is a clear message, and the rest goes on.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Visitor, serve } from "./browser.mjs";

let site;
before(async () => {
  site = await serve();
});
after(() => site?.end());

// The page, drawn by WebGL 2.
const visit = (work) => Visitor.visit(`${site.address}?graphics=webgl2`, work);

test("a scene too large for a page is refused at its line", async () => {
  await visit(async (visitor) => {
    await visitor.pass(3);
    await visitor.page.evaluate(() => window.pliant.open(window.pliant.current.text.replace("columns = 24", "columns = 240000"), "large.toml"));
    await visitor.page.waitForSelector("#fault:not([hidden])");
    assert.match(await visitor.page.textContent("#fault"), /^line \d+, column \d+: .*too many vertices/);
    await visitor.pass(3);
  });
});

test("a solver on a GPU is refused at its line", async () => {
  await visit(async (visitor) => {
    await visitor.pass(3);
    await visitor.page.evaluate(() => window.pliant.open(`${window.pliant.current.text}\n[solver.gpu]\n`, "gpu.toml"));
    await visitor.page.waitForSelector("#fault:not([hidden])");
    assert.match(await visitor.page.textContent("#fault"), /^line \d+, column \d+: a page does not compute on a GPU/);
  });
});

test("a simulation that fails is begun anew by a click", async () => {
  await visit(async (visitor) => {
    await visitor.pass(10);
    // No view sends such bytes: the simulation takes them for those of another version, and ends.
    await visitor.page.evaluate(() => window.pliant.simulation.send(new Uint8Array([200, 200]), false));
    assert.match(await visitor.message(), /^The simulation has failed: .*both must be of the same version/);
    await visitor.photograph("failed");
    const { step } = await visitor.state();
    await visitor.page.click("#messages button:has-text('Begin anew')");
    await visitor.wait("it begins anew", (state) => state.step < step);
    await visitor.pass(3);
  });
});

test("a simulation that does not answer can be stopped", async () => {
  await visit(async (visitor) => {
    await visitor.pass(3);
    // A worker that is busy for ever.
    await visitor.page.evaluate(() => {
      const { simulation } = window.pliant;
      simulation.worker.terminate();
      simulation.worker = new Worker(URL.createObjectURL(new Blob(["for (;;);"], { type: "text/javascript" })));
    });
    await visitor.page.click("#messages button:has-text('Stop it')");
    await visitor.wait("it begins anew", (state) => state.step >= 1);
    await visitor.pass(3);
  });
});

test("graphics that are lost come back, and the world has gone on", async () => {
  await visit(async (visitor) => {
    const before = await visitor.pass(10);
    await visitor.page.evaluate(() => {
      const canvas = document.querySelector("#picture canvas");
      canvas.getContext("webgl2").getExtension("WEBGL_lose_context").loseContext();
    });
    assert.match(await visitor.message(), /^The picture began anew/);
    await visitor.wait("the picture is back", (state) => state.step > before.step);
    await visitor.pass(3);
    await visitor.photograph("context");
  });
});

test("without graphics scenes are checked and simulated all the same", async () => {
  await Visitor.visit(site.address, async (visitor) => {
    const { page } = visitor;
    assert.match(await visitor.message(), /neither WebGPU nor WebGL 2/);
    await visitor.photograph("no-graphics");
    await page.click("#show-text");
    await page.fill("#source", "[world]\nframe = 3\n");
    await page.click("#run");
    await page.waitForSelector("#fault:not([hidden])");
    assert.match(await page.textContent("#fault"), /^line 2, column 1: .*frame/);
  }, { graphics: "none" });
});

test("where WebGPU breaks the page goes on with WebGL", async (context) => {
  await Visitor.visit(site.address, async (visitor) => {
    const has_adapter = await visitor.page.evaluate(async () => !!(await navigator.gpu?.requestAdapter()));
    if (!has_adapter) return context.skip("this browser has no adapter for WebGPU");
    assert.match(await visitor.message(), /^The picture began anew: the graphics device was lost/);
    await visitor.pass(3);
    assert.ok(await visitor.page.evaluate(() => document.querySelector("#picture canvas").getContext("webgl2") !== null));
    await visitor.photograph("webgpu-broken");
  }, { graphics: "broken" });
});

test("where there is WebGPU the page draws by it", async (context) => {
  await Visitor.visit(site.address, async (visitor) => {
    const has_adapter = await visitor.page.evaluate(async () => !!(await navigator.gpu?.requestAdapter()));
    if (!has_adapter) return context.skip("this browser has no adapter for WebGPU");
    await visitor.pass(3);
    assert.ok(await visitor.page.evaluate(() => document.querySelector("#picture canvas").getContext("webgl2") === null), "its canvas is not one of WebGL");
    await visitor.photograph("webgpu");
    assert.deepEqual(visitor.complaints, []);
  }, { graphics: "webgpu" });
});
