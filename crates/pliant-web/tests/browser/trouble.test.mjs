// What goes wrong: each time there is a clear message, and the rest goes on.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SLOW, Visitor, launch, serve } from "./browser.mjs";

let site, browser;
before(async () => {
  site = await serve();
  browser = await launch("webgl");
});
after(async () => {
  await browser?.close();
  site?.end();
});

const open = () => Visitor.open(browser, `${site.address}?graphics=webgl2`);

test("a scene too large for a page is refused at its line", async () => {
  const visitor = await open();
  await visitor.pass(3);
  const text = await visitor.page.evaluate(() => window.pliant.current.text);
  await visitor.page.evaluate((text) => window.pliant.open(text, "large.toml"), text.replace("columns = 24", "columns = 240000"));
  await visitor.page.waitForSelector("#fault:not([hidden])");
  assert.match(await visitor.page.textContent("#fault"), /^line \d+, column \d+: .*too many vertices/);
  await visitor.pass(3);
  await visitor.close();
});

test("a simulation that fails is begun anew by a click", async () => {
  const visitor = await open();
  await visitor.pass(10);
  // No view sends such bytes: the simulation takes it for a view of another version, and ends.
  await visitor.page.evaluate(() => window.pliant.simulation.send(new Uint8Array([200, 200]), false));
  assert.match(await visitor.message(), /^The simulation has failed: .*both must be of the same version/);
  await visitor.photograph("failed");
  const { step } = await visitor.state();
  await visitor.page.click("#messages button:has-text('Begin anew')");
  await visitor.wait("it begins anew", (state) => state.step < step);
  await visitor.pass(5);
  await visitor.close();
});

test("a simulation that does not answer can be stopped", async () => {
  const visitor = await open();
  await visitor.pass(5);
  // A worker that is busy for ever.
  await visitor.page.evaluate(() => {
    const { simulation } = window.pliant;
    simulation.worker.terminate();
    const url = URL.createObjectURL(new Blob(["for (;;);"], { type: "text/javascript" }));
    simulation.worker = new Worker(url);
  });
  await visitor.page.waitForSelector("#messages button:has-text('Stop it')", { timeout: SLOW });
  await visitor.page.click("#messages button:has-text('Stop it')");
  await visitor.wait("it begins anew", (state) => state.step >= 1 && state.step < 20);
  await visitor.close();
});

test("graphics that are lost come back, and the world has gone on", async () => {
  const visitor = await open();
  const before = await visitor.pass(20);
  await visitor.page.evaluate(() => {
    const canvas = document.querySelector("#picture canvas");
    canvas.getContext("webgl2").getExtension("WEBGL_lose_context").loseContext();
  });
  assert.match(await visitor.message(), /^The picture began anew/);
  await visitor.wait("the picture is back", (state) => state.step > before.step);
  await visitor.pass(10);
  await visitor.photograph("context");
  await visitor.close();
});

test("without graphics scenes are checked and simulated all the same", async () => {
  const blind = await launch("none");
  try {
    const visitor = await Visitor.open(blind, site.address);
    assert.match(await visitor.message(), /neither WebGPU nor WebGL 2/);
    await visitor.photograph("no-graphics");
    await visitor.page.click("#show-text");
    await visitor.page.fill("#source", "[world]\nframe = 3\n");
    await visitor.page.click("#run");
    await visitor.page.waitForSelector("#fault:not([hidden])");
    assert.match(await visitor.page.textContent("#fault"), /^line 2, column 1: .*frame/);
  } finally {
    await blind.close();
  }
});

test("with WebGPU the page draws by that", async (context) => {
  const other = await launch("webgpu");
  try {
    const visitor = await Visitor.open(other, site.address);
    const has_adapter = await visitor.page.evaluate(async () => !!(await navigator.gpu?.requestAdapter()));
    if (!has_adapter) return context.skip("this browser has no adapter for WebGPU");
    await visitor.wait("it draws", (state) => state.step > 10);
    await visitor.photograph("webgpu");
    assert.deepEqual(visitor.complaints, []);
  } finally {
    await other.close();
  }
});
