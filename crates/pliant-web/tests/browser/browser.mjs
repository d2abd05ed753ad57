// A real browser on a page that was built: `PLIANT_PAGE` is its folder, `PLIANT_COMMAND` the command that serves it, `CHROMIUM` the browser.

import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { chromium } from "playwright-core";

const SLOW = 120_000;
const WEBGL = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const WEBGPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan", "--use-vulkan=swiftshader", "--use-angle=vulkan"];
// An adapter whose pictures cannot be shown, so that its device is lost.
const BROKEN = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", ...WEBGL];
const NO_GRAPHICS = ["--disable-gpu", "--disable-3d-apis", "--disable-software-rasterizer"];
const GRAPHICS = { webgl: WEBGL, webgpu: WEBGPU, broken: BROKEN, none: NO_GRAPHICS };

function needed(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

// Where pictures of the tests go, for people to look at.
export function picture_path(name) {
  const folder = process.env.PLIANT_PICTURES ?? "pictures";
  mkdirSync(folder, { recursive: true });
  return `${folder}/${name}.png`;
}

// Serves the page by `pliant web`; resolves to its address and what ends it.
export function serve() {
  const child = spawn(needed("PLIANT_COMMAND"), ["web", "--folder", needed("PLIANT_PAGE"), "--port", "0", "--no-open"]);
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (bytes) => {
      text += bytes;
      const found = /http:\/\/\S+/.exec(text);
      if (found) resolve({ address: found[0], end: () => child.kill() });
    });
    child.stderr.on("data", (bytes) => (text += bytes));
    child.on("exit", (code) => reject(new Error(`pliant web ended with ${code}: ${text}`)));
  });
}

// A page with what a user does to it.
export class Visitor {
  constructor(page) {
    this.page = page;
    this.complaints = [];
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("crash", () => this.complaints.push("the page crashed"));
  }

  // Calls `work` with a visitor, in a browser of its own: what draws by software leaves nothing for a second page.
  static async visit(address, work, { graphics = "webgl", width = 960, height = 640, ...options } = {}) {
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", ...GRAPHICS[graphics]],
    });
    try {
      const context = await browser.newContext({ viewport: { width, height }, ...options });
      context.setDefaultTimeout(SLOW);
      const visitor = new Visitor(await context.newPage());
      visitor.begun = Date.now();
      await visitor.page.goto(address);
      await work(visitor);
    } finally {
      await browser.close();
    }
  }

  state() {
    return this.page.evaluate(() => window.pliant?.state() ?? null);
  }

  // Waits until the state is so.
  async wait(what, is_so, limit = SLOW) {
    const end = Date.now() + limit;
    let state = null;
    while (Date.now() < end) {
      state = await this.state();
      if (state && is_so(state)) return state;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`${what}: not within ${limit / 1000} s; the state is ${JSON.stringify(state)}; ${this.complaints.join("; ")}`);
  }

  // Waits until a function of the page says so. Pictures that are drawn by software come too seldom to look at each.
  until(is_so) {
    return this.page.waitForFunction(is_so, null, { polling: 50 });
  }

  // Waits for some steps more.
  async pass(steps) {
    const { step } = await this.wait("a picture is there", (state) => state.step !== null);
    return this.wait(`${steps} steps more`, (state) => state.step >= step + steps);
  }

  // Waits until no newer frame comes.
  async settle() {
    let last = null;
    for (let same = 0; same < 5; ) {
      const { frame } = await this.state();
      same = frame === last ? same + 1 : 0;
      last = frame;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  // The corner of the canvas in the page: states count from there.
  async corner() {
    const box = await this.page.locator("#picture canvas").boundingBox();
    return [box.x, box.y];
  }

  async vertex(number) {
    const [left, top] = await this.corner();
    const place = await this.page.evaluate((number) => [...window.pliant.project(number)], number);
    return [place[0] + left, place[1] + top];
  }

  // Presses a key in the picture.
  async key(key) {
    await this.page.focus("#picture canvas");
    await this.page.keyboard.press(key);
  }

  // The middle of a button or menu in the picture, by the name that the view gives it.
  async place(name) {
    // A menu is laid out once before it has its place.
    let last = "";
    const { places } = await this.wait(`there is ${name}`, ({ places }) => {
      if (!places[name]) return false;
      const before = last;
      last = places[name].join();
      return last === before;
    });
    const [x, y, width, height] = places[name];
    const [left, top] = await this.corner();
    return [left + x + width / 2, top + y + height / 2];
  }

  async click(name) {
    await this.page.mouse.click(...(await this.place(name)));
  }

  // Draws with the pointer; `held` is called while the button is down at the end.
  async stroke(points, held = async () => {}) {
    const { mouse } = this.page;
    await mouse.move(...points[0]);
    await mouse.down();
    for (let k = 1; k < points.length; k++) await mouse.move(...points[k], { steps: 8 });
    const result = await held();
    await mouse.up();
    return result;
  }

  async drop(name, text) {
    await this.page.evaluate(([name, text]) => {
      const data = new DataTransfer();
      data.items.add(new File([text], name));
      const event = (kind) => new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true });
      document.querySelector("#picture").dispatchEvent(event("dragover"));
      document.querySelector("#picture").dispatchEvent(event("drop"));
    }, [name, text]);
  }

  // Bytes of memory, of both modules and of scripts, and for how long the simulation has been silent [ms].
  async memory() {
    let timer;
    const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error("the page is frozen")), SLOW)));
    try {
      return await Promise.race([this.page.evaluate(() => window.pliant.memory()), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  message() {
    return this.page.locator("#messages p").first().textContent();
  }

  photograph(name) {
    return this.page.screenshot({ path: picture_path(name) });
  }
}
