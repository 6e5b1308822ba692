import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DiskArtifactCache } from './artifact-cache.ts';

// A process of its own that uses ten artifacts over and over in a cache with room for three.
const [, , folder = '', seed = '1'] = process.argv;
const { signal } = new AbortController();
const cache = new DiskArtifactCache({ folder, maxBytes: 30_000, limits: { bytes: 20_000, files: 10 } });
let random = Number(seed);
let lost = 0;
const USES = 80;

async function* content(name: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(name.padEnd(9000, '.'));
}

for (let use = 0; use < USES; use += 1) {
  random = (random * 48_271) % 2_147_483_647;
  const name = `artifact-${random % 10}`;
  const artifact = await cache.use({ scope: [name], revision: name }, signal, async (writer) => {
    await writer.file('name', content(name));
    return { digest: name };
  });
  for (let look = 0; look < 3; look += 1) {
    const text = await readFile(join(artifact.path, 'name'), 'utf8').catch(() => '');
    if (text.length !== 9000 || !text.startsWith(`${name}.`)) lost += 1;
  }
  artifact.release();
}
console.log(`${USES} uses, ${lost} lost`);
