// What a user does on the page, in a real browser.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { Visitor, launch, serve } from "./browser.mjs";

let site, browser;
before(async () => {
  site = await serve();
  browser = await launch("webgl");
});
after(async () => {
  await browser?.close();
  site?.end();
});

const open = (fragment = "", options = {}) => Visitor.open(browser, `${site.address}?graphics=webgl2${fragment}`, options);
const distance = ([ax, ay], [bx, by]) => Math.hypot(ax - bx, ay - by);

// A closed cube of 80 units, twelve triangles.
const CUBE = `${[0, 1, 2, 3, 4, 5, 6, 7].map((k) => `v ${80 * (k & 1)} ${80 * ((k >> 1) & 1)} ${80 * (k >> 2)}`).join("\n")}
f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n`;

test("the modules are at most 3 MB compressed", () => {
  const sizes = ["view_bg.wasm", "simulation_bg.wasm"].map((name) => brotliCompressSync(readFileSync(`${process.env.PLIANT_PAGE}/modules/${name}`)).length);
  console.log(`view ${sizes[0]} bytes, simulation ${sizes[1]} bytes`);
  assert.ok(sizes[0] + sizes[1] <= 3e6, `${sizes}`);
});

test("the page loads, and sixty frames move", async () => {
  const begun = Date.now();
  const visitor = await open();
  const first = await visitor.wait("a first step", (state) => state.step >= 1);
  console.log(`first moving frame after ${((Date.now() - begun) / 1000).toFixed(2)} s`);
  const before = await visitor.vertex(312);
  const last = await visitor.wait("sixty frames", (state) => state.frame >= first.frame + 60);
  assert.ok(last.step > first.step && last.playing);
  assert.ok(distance(before, await visitor.vertex(312)) > 2, "the middle of the curtain moves");
  await visitor.photograph("curtain");
  assert.deepEqual(visitor.complaints, []);
  await visitor.close();
});

test("a drag moves the vertex below the pointer with it", async () => {
  const visitor = await open();
  await visitor.pass(40);
  const from = await visitor.vertex(312);
  const to = [from[0] + 120, from[1] - 60];
  const held = await visitor.stroke([from, to], async () => {
    await visitor.wait("something is held", (state) => state.held.length === 1);
    await visitor.pass(40);
    await visitor.photograph("drag");
    return (await visitor.state()).held[0];
  });
  const [left, top] = await visitor.corner();
  const gap = distance([held.place[0] + left, held.place[1] + top], to);
  const [, , width] = (await visitor.state()).picture;
  console.log(`${held.body} ${held.vertex} is ${gap.toFixed(1)} px from the pointer, ${((100 * gap) / width).toFixed(2)} % of the picture`);
  assert.ok(gap <= 0.02 * width);
  await visitor.wait("it is let go", (state) => state.held.length === 0);
  await visitor.close();
});

test("the solver is switched while the world runs", async () => {
  const visitor = await open();
  const before = await visitor.pass(10);
  await visitor.click("solver");
  await visitor.click("position-based");
  const after = await visitor.wait("the solver is another", (state) => state.solver === "position-based");
  assert.notEqual(before.solver, after.solver);
  await visitor.pass(10);
  await visitor.photograph("solver");
  await visitor.close();
});

test("an error in the text is shown at its line and column, and what runs goes on", async () => {
  const visitor = await open();
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
  // The mark lies on the word.
  await page.click("#fault");
  const chosen = await page.evaluate(() => {
    const area = document.querySelector("#source");
    return area.value.slice(area.selectionStart).split("\n")[0];
  });
  const column = Number(/column (\d+)/.exec(fault)[1]);
  assert.equal(chosen, wrong.split("\n")[line - 1].slice(column - 1));
  await visitor.pass(5);
  await page.fill("#source", text.replace("columns = 24", "columns = 12"));
  await page.click("#run");
  await visitor.wait("the repaired scene runs", (state) => state.vertices === 13 * 25);
  assert.ok(await page.isHidden("#fault"));
  await visitor.close();
});

test("a mesh that is dropped falls as a soft body, and its text can be changed", async () => {
  const visitor = await open();
  await visitor.pass(1);
  await visitor.drop("cube.obj", CUBE);
  await visitor.page.waitForFunction(() => window.pliant.current.name === "cube.toml");
  await visitor.wait("the cube runs", (state) => state.vertices > 0 && state.vertices < 600 && state.step > 40);
  await visitor.photograph("mesh");
  const text = await visitor.page.inputValue("#source");
  assert.match(text, /path = "cube.obj"\ncontent = "fill"/);
  await visitor.page.evaluate((text) => window.pliant.open(text, "cube.toml"), text.replace("cells = 16", "cells = 4"));
  await visitor.wait("fewer cells", (state) => state.step !== null && state.step < 40);
  assert.ok(await visitor.page.isHidden("#fault"));
  await visitor.close();
});

test("a file that is no mesh is refused by name, and what runs goes on", async () => {
  const visitor = await open();
  await visitor.pass(5);
  for (const [name, text, reason] of [["notes.txt", "hello", /^notes\.txt: unknown format/], ["half.obj", "v 0 0\n", /^half\.obj line 1/], ["empty.stl", "", /^empty\.stl/]]) {
    await visitor.drop(name, text);
    assert.match(await visitor.message(), reason);
    await visitor.page.click("#messages button");
  }
  await visitor.pass(5);
  await visitor.close();
});

test("a stroke of the scissors cuts the cloth", async () => {
  const visitor = await open();
  const before = await visitor.pass(60);
  const [x, y, width, height] = before.picture;
  const [left, top] = await visitor.corner();
  await visitor.click("scissors");
  const at = (u, v) => [left + x + u * width, top + y + v * height];
  await visitor.stroke([at(0.1, 0.45), at(0.5, 0.5), at(0.9, 0.45)]);
  const after = await visitor.wait("the cut is there", (state) => state.vertices > before.vertices);
  console.log(`${before.vertices} vertices before the cut, ${after.vertices} after it`);
  await visitor.pass(30);
  await visitor.photograph("cut");
  await visitor.close();
});

test("links carry a scene, and the gallery opens others", async () => {
  const visitor = await open("#scene=hammock");
  await visitor.page.waitForFunction(() => window.pliant.current.builtin === "hammock");
  await visitor.page.click("#show-scenes");
  await visitor.page.waitForSelector("#scenes li:nth-child(40)");
  await visitor.photograph("gallery");
  await visitor.page.click("#scenes button:has-text('Curtain')");
  await visitor.wait("the curtain is open", (state) => state.vertices === 625);
  await visitor.page.click("#show-text");
  const text = (await visitor.page.inputValue("#source")).replace("columns = 24", "columns = 6");
  await visitor.page.fill("#source", text);
  await visitor.page.click("#share");
  const link = await visitor.page.inputValue("#link");
  await visitor.close();
  const guest = await Visitor.open(browser, link.replace("#", "#"));
  await guest.wait("the shared scene runs", (state) => state.vertices === 7 * 25);
  assert.equal(await guest.page.evaluate(() => window.pliant.current.text), text);
  await guest.close();
  const lost = await open("#text=notcompressed");
  assert.match(await lost.message(), /the link is damaged/);
  await lost.wait("the first scene runs all the same", (state) => state.step > 3);
  await lost.close();
});

test("a phone has room for everything", async () => {
  const visitor = await open("", { width: 390, height: 844, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
  await visitor.pass(20);
  const wide = await visitor.page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `the page is ${wide} px wide`);
  for (const button of await visitor.page.locator("header button").all()) {
    const box = await button.boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 390 && box.height >= 40, JSON.stringify(box));
  }
  await visitor.photograph("phone");
  await visitor.page.tap("#show-scenes");
  await visitor.photograph("phone-gallery");
  await visitor.page.tap("#scenes button:has-text('Hammock')");
  await visitor.page.waitForFunction(() => window.pliant.current.builtin === "hammock");
  assert.ok(await visitor.page.isHidden("#scenes"));
  await visitor.page.tap("#show-text");
  await visitor.photograph("phone-text");
  await visitor.close();
});

test("everything can be done by keys", async () => {
  const visitor = await open();
  const { page } = visitor;
  await visitor.pass(5);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "show-scenes");
  await page.keyboard.press("Enter");
  assert.equal(await page.getAttribute("#show-scenes", "aria-expanded"), "true");
  await page.focus("#scenes li:nth-child(1) button");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.pliant.current.builtin === "balloon");
  await page.keyboard.press("Escape");
  assert.ok(await page.isHidden("#scenes"));
  await page.focus("#picture canvas");
  await page.keyboard.press("Space");
  await visitor.wait("it stands still", (state) => !state.playing);
  const { step } = await visitor.state();
  await page.keyboard.press(".");
  await visitor.wait("one step", (state) => state.step === step + 1);
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "BUTTON");
  await visitor.close();
});
