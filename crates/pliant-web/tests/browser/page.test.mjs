// What a user does on the page, in a real browser.

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { after, before, test } from "node:test";
import { Visitor, serve } from "./browser.mjs";

let site;
before(async () => {
  site = await serve();
});
after(() => site?.end());

// The page, drawn by WebGL 2.
const visit = (work, { fragment = "", ...options } = {}) => Visitor.visit(`${site.address}?graphics=webgl2${fragment}`, work, options);
const distance = ([ax, ay], [bx, by]) => Math.hypot(ax - bx, ay - by);

// A closed cube of 80 units, six squares.
const CUBE = `${[0, 1, 2, 3, 4, 5, 6, 7].map((k) => `v ${80 * (k & 1)} ${80 * ((k >> 1) & 1)} ${80 * (k >> 2)}`).join("\n")}
f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n`;

test("the modules are at most 3 MB compressed", () => {
  const sizes = ["view", "simulation"].map((name) => statSync(`${process.env.PLIANT_PAGE}/modules/${name}_bg.wasm.br`).size);
  console.log(`view ${sizes[0]} bytes, simulation ${sizes[1]} bytes`);
  assert.ok(sizes[0] + sizes[1] <= 3e6, `${sizes}`);
});

test("the page loads, and sixty frames move", async () => {
  await visit(async (visitor) => {
    const first = await visitor.wait("a first step", (state) => state.step >= 1);
    console.log(`first moving frame after ${((Date.now() - visitor.begun) / 1000).toFixed(2)} s`);
    const before = await visitor.vertex(312);
    const last = await visitor.wait("sixty frames", (state) => state.frame >= first.frame + 60);
    console.log(`sixty frames after ${((Date.now() - visitor.begun) / 1000).toFixed(1)} s, at step ${last.step}`);
    assert.ok(last.step > first.step && last.playing);
    assert.ok(distance(before, await visitor.vertex(312)) > 2, "the middle of the curtain moves");
    await visitor.photograph("curtain");
    assert.deepEqual(visitor.complaints, []);
  });
});

test("a drag moves the vertex below the pointer with it", async () => {
  await visit(async (visitor) => {
    await visitor.pass(20);
    // It stands still for the press, so that what is seen is what is met.
    await visitor.key("Space");
    await visitor.wait("it stands still", (state) => !state.playing);
    await visitor.settle();
    const from = await visitor.vertex(312);
    const { picture } = await visitor.state();
    const to = [from[0] - 0.05 * picture[2], from[1] - 0.1 * picture[3]];
    const held = await visitor.stroke([from, to], async () => {
      await visitor.wait("something is held", (state) => state.held.length === 1);
      const [left, top] = await visitor.corner();
      const gap = ({ held: [{ place }] }) => distance([place[0] + left, place[1] + top], to);
      const far = gap(await visitor.state());
      await visitor.page.keyboard.press("Space");
      await visitor.pass(60);
      // A cloth that swings pulls at the hand.
      const near = await visitor.wait("the vertex is below the pointer", (state) => gap(state) <= 0.02 * state.picture[2]);
      await visitor.photograph("drag");
      return { far, gap: gap(near), width: near.picture[2], ...near.held[0] };
    });
    console.log(`vertex ${held.vertex} was ${held.far.toFixed(1)} px from the pointer, and came as near as ${held.gap.toFixed(1)} px in a picture of ${held.width} px`);
    assert.equal(held.body, "curtain");
    assert.ok(held.far > 0.06 * held.width, "it had to be moved");
    await visitor.wait("it is let go", (state) => state.held.length === 0);
  });
});

test("the solver is switched while the world runs", async () => {
  await visit(async (visitor) => {
    const before = await visitor.pass(5);
    await visitor.click("solver");
    await visitor.click("Newton, exact");
    const after = await visitor.wait("the solver is another", (state) => state.solver === "Newton, exact");
    assert.notEqual(before.solver, after.solver);
    await visitor.pass(10);
    await visitor.photograph("solver");
  });
});

test("an error in the text is shown at its line and column, and what runs goes on", async () => {
  await visit(async (visitor) => {
    const { page } = visitor;
    await visitor.pass(5);
    await page.click("#show-text");
    const text = await page.inputValue("#source");
    const wrong = text.replace("columns =", "colums =");
    assert.notEqual(wrong, text);
    const line = wrong.slice(0, wrong.indexOf("colums")).split("\n").length;
    await page.fill("#source", wrong);
    await page.keyboard.press("Control+Enter");
    await page.waitForSelector("#fault:not([hidden])");
    const fault = await page.textContent("#fault");
    assert.match(fault, new RegExp(`^line ${line}, column \\d+: .*colums`));
    assert.equal(await page.textContent("#text .numbers b"), String(line));
    await visitor.photograph("error");
    // A click goes to the place.
    await page.click("#fault");
    const rest = await page.evaluate(() => {
      const area = document.querySelector("#source");
      return area.value.slice(area.selectionStart).split("\n")[0];
    });
    const column = Number(/column (\d+)/.exec(fault)[1]);
    assert.equal(rest, wrong.split("\n")[line - 1].slice(column - 1));
    await visitor.pass(5);
    await page.fill("#source", text.replace("columns = 24", "columns = 12"));
    await page.click("#run");
    await visitor.wait("the repaired scene runs", (state) => state.vertices === 13 * 25);
    assert.ok(await page.isHidden("#fault"));
  });
});

test("a mesh that is dropped falls as a soft body, and its text can be changed", async () => {
  await visit(async (visitor) => {
    await visitor.pass(1);
    await visitor.drop("cube.obj", CUBE);
    await visitor.until(() => window.pliant.current.name === "cube.toml");
    const { vertices } = await visitor.wait("the cube runs", (state) => state.vertices > 0 && state.vertices !== 625 && state.step > 30);
    await visitor.photograph("mesh");
    const text = await visitor.page.evaluate(() => window.pliant.current.text);
    assert.match(text, /path = "cube.obj"\ncontent = "fill"/);
    await visitor.page.evaluate((text) => window.pliant.open(text, "cube.toml"), text.replace("cells = 6", "cells = 4"));
    await visitor.wait("it has fewer cells", (state) => state.vertices > 0 && state.vertices < vertices);
    assert.ok(await visitor.page.isHidden("#fault"));
  });
});

test("a file that is no mesh is refused by name, and what runs goes on", async () => {
  const wrong = [["notes.txt", "hello", /^notes\.txt: unknown format/], ["half.obj", "v 0 0\n", /^half\.obj line 1/], ["empty.stl", "", /^empty\.stl/]];
  await visit(async (visitor) => {
    await visitor.pass(3);
    for (const [name, text, reason] of wrong) {
      await visitor.drop(name, text);
      assert.match(await visitor.message(), reason);
      await visitor.page.click("#messages button");
    }
    await visitor.pass(3);
  });
});

test("a stroke of the scissors cuts the cloth", async () => {
  await visit(async (visitor) => {
    const before = await visitor.pass(40);
    const [x, y, width, height] = before.picture;
    const [left, top] = await visitor.corner();
    await visitor.key("c");
    const at = (u, v) => [left + x + u * width, top + y + v * height];
    const lowest = async () => Math.max(...(await Promise.all([0, 24, 312, 600, 624].map((vertex) => visitor.vertex(vertex)))).map(([, y]) => y));
    const low = await lowest();
    await visitor.stroke([at(0.02, 0.25), at(0.98, 0.25)]);
    const after = await visitor.wait("the cut is there", (state) => state.vertices > before.vertices);
    console.log(`${before.vertices} vertices before the cut, ${after.vertices} after it`);
    await visitor.pass(60);
    await visitor.photograph("cut");
    const fallen = (await lowest()) - low;
    console.log(`what is below the cut has fallen by ${fallen.toFixed(0)} px in a picture of ${height} px`);
    assert.ok(fallen > 0.5 * height);
  });
});

test("links carry a scene, and the gallery opens others", async () => {
  let link, text;
  const hammock = (visitor) => visitor.until(() => window.pliant.current.builtin === "hammock");
  await visit(async (visitor) => {
    const { page } = visitor;
    await hammock(visitor);
    await page.click("#show-scenes");
    await page.waitForSelector("#scenes li:nth-child(40)");
    await visitor.until(() => document.querySelector("#scenes img").naturalWidth === 280);
    await visitor.photograph("gallery");
    await page.click("#scenes button:has-text('Curtain')");
    await visitor.wait("the curtain is open", (state) => state.vertices === 625);
    await page.click("#show-text");
    text = (await page.inputValue("#source")).replace("columns = 24", "columns = 6");
    await page.fill("#source", text);
    await page.click("#share");
    await page.waitForSelector("#shared[open]");
    link = await page.inputValue("#link");
  }, { fragment: "#scene=hammock" });
  await Visitor.visit(link, async (visitor) => {
    await visitor.wait("the shared scene runs", (state) => state.vertices === 7 * 25);
    assert.equal(await visitor.page.evaluate(() => window.pliant.current.text), text);
  });
  await visit(async (visitor) => {
    assert.match(await visitor.message(), /the link is damaged/);
    await visitor.wait("the first scene runs all the same", (state) => state.step > 3);
  }, { fragment: "#text=notcompressed" });
});

test("a phone has room for everything", async () => {
  const phone = { width: 390, height: 844, hasTouch: true, isMobile: true, deviceScaleFactor: 1 };
  await visit(async (visitor) => {
    const { page } = visitor;
    await visitor.pass(5);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `the page is ${wide} px wide`);
    for (const button of await page.locator("header button").all()) {
      const box = await button.boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= 390 && box.height >= 40, JSON.stringify(box));
    }
    await visitor.photograph("phone");
    await page.tap("#show-scenes");
    await page.waitForSelector("#scenes li:nth-child(40)");
    await visitor.photograph("phone-gallery");
    await page.tap("#scenes button:has-text('Flag')");
    await visitor.until(() => window.pliant.current.builtin === "flag");
    assert.ok(await page.isHidden("#scenes"));
    await page.tap("#show-text");
    await visitor.photograph("phone-text");
  }, phone);
});

test("the page can be used by keys", async () => {
  await visit(async (visitor) => {
    const { page } = visitor;
    const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.tagName);
    await visitor.pass(3);
    await page.keyboard.press("Escape");
    assert.equal(await focused(), "show-scenes");
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "show-text");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    assert.equal(await page.getAttribute("#show-scenes", "aria-expanded"), "true");
    await page.focus("#scenes li:nth-child(2) button");
    await page.keyboard.press("Enter");
    await visitor.until(() => window.pliant.current.builtin === "banner");
    await page.keyboard.press("Escape");
    assert.ok(await page.isHidden("#scenes"));
    assert.equal(await focused(), "show-scenes");
    await visitor.key("Space");
    await visitor.wait("it stands still", (state) => !state.playing);
    await visitor.settle();
    const { step } = await visitor.state();
    await page.keyboard.press(".");
    await visitor.wait("one step", (state) => state.step === step + 1);
    await page.keyboard.press("Escape");
    assert.equal(await focused(), "show-scenes");
  });
});
