import { writeSync } from 'node:fs';
import { DiskArtifactCache } from './artifact-cache.ts';

// A process of its own that writes half an artifact and waits to be killed.
const [, , folder = ''] = process.argv;
const cache = new DiskArtifactCache({ folder, maxBytes: 1e6, limits: { bytes: 1e6, files: 100 } });
await cache.use({ scope: ['half'], revision: 'r' }, new AbortController().signal, async (writer) => {
  await writer.file(
    'half.yaml',
    (async function* () {
      yield Buffer.from('half');
      writeSync(1, 'half written\n');
      await new Promise((resolve) => setTimeout(resolve, 600_000));
    })(),
  );
  return { digest: 'd' };
});
