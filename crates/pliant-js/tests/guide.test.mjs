// The code on docs/javascript.md and in the package's README runs: node --test guide.test.mjs, with PLIANT_PACKAGE.

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { it } from 'node:test';
import { pathToFileURL } from 'node:url';

const module = pathToFileURL(resolve(process.env.PLIANT_PACKAGE ?? 'out/npm', 'pliant.js'));

for (const page of ['../../../docs/javascript.md', '../package/README.md']) {
  it(`the code of ${page} runs`, async () => {
    const text = await readFile(new URL(page, import.meta.url), 'utf8');
    const code = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map((block) => block[1]).join('\n');
    assert.ok(code.includes("from 'pliant'"));
    const folder = await mkdtemp(join(tmpdir(), 'pliant-'));
    try {
      await writeFile(join(folder, 'guide.mjs'), code.replaceAll("from 'pliant'", `from '${module}'`));
      await import(pathToFileURL(join(folder, 'guide.mjs')));
    } finally {
      await rm(folder, { recursive: true });
    }
  });
}
