// The examples in a browser: node browser.mjs PACKAGE MODULES PICTURES, with the folder that `pack` made, a folder of node_modules with
// playwright-core and three, and a folder for pictures of what was seen.

import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join, normalize, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const [folder, modules, pictures] = process.argv.slice(2);
const { chromium } = createRequire(resolve(modules, 'playwright-core/index.js'))('playwright-core');
const examples = fileURLToPath(new URL('../examples', import.meta.url));
await mkdir(pictures, { recursive: true });

const types = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };
const places = [['/node_modules/pliant/', folder], ['/node_modules/', modules], ['/', examples]];
const server = createServer(async (request, response) => {
  if (request.url === '/favicon.ico') return response.writeHead(204).end();
  const path = normalize(new URL(request.url, 'http://localhost').pathname);
  const [prefix, place] = places.find(([prefix]) => path.startsWith(prefix));
  try {
    const bytes = await readFile(join(place, path.slice(prefix.length)));
    response.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream' }).end(bytes);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const address = `http://127.0.0.1:${server.address().port}`;

const executablePath = process.env.PLIANT_CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });
try {
  for (const name of ['webgl', 'three']) {
    const page = await browser.newPage({ viewport: { width: 640, height: 480 } });
    const problems = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    await page.goto(`${address}/${name}.html`);
    await page.waitForFunction(() => window.example?.sim.steps >= 60, undefined, { timeout: 60_000 }).catch((error) => {
      throw new Error(`${name}: ${error.message} ${problems.join(' ')}`);
    });
    const picture = await page.screenshot({ path: join(pictures, `${name}.png`) });

    // Something is drawn, in more colours than a plain page has.
    const colors = await page.evaluate(async (bytes) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${bytes}`)).blob());
      const context = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height }).getContext('2d');
      context.drawImage(image, 0, 0);
      return new Set(new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer)).size;
    }, picture.toString('base64'));
    assert.ok(colors > 50, `${name}: ${colors} colours`);

    // A vertex of the lower part is dragged, and comes along to where the pointer is.
    const start = await page.evaluate(() => {
      const vertex = 25 * 4 + 12;
      return window.example.screen([...window.example.sim.positions.slice(3 * vertex, 3 * vertex + 3)]);
    });
    await page.mouse.move(...start);
    await page.mouse.down();
    const vertex = await page.evaluate(() => window.example.held()?.vertex);
    assert.ok(vertex !== undefined, `${name}: the curtain is under the pointer`);
    const target = [start[0] + 60, start[1] - 70];
    await page.mouse.move(...target, { steps: 12 });
    const steps = await page.evaluate(() => window.example.sim.steps);
    await page.waitForFunction((least) => window.example.sim.steps >= least, steps + 90, { timeout: 60_000 });
    const seen = await page.evaluate((v) => window.example.screen([...window.example.sim.positions.slice(3 * v, 3 * v + 3)]), vertex);
    await page.screenshot({ path: join(pictures, `${name}-dragged.png`) });
    const apart = Math.hypot(seen[0] - target[0], seen[1] - target[1]) / 640;
    assert.ok(apart < 0.02, `${name}: the vertex is ${(100 * apart).toFixed(1)} % of the screen from the pointer`);
    await page.mouse.up();
    assert.equal(await page.evaluate(() => window.example.held()), null);
    assert.deepEqual(problems, [], name);
    console.log(`${name}: ${colors} colours, the held vertex ${(100 * apart).toFixed(2)} % of the screen from the pointer`);
    await page.close();
  }
} finally {
  await browser.close();
  server.close();
}
