import { readFileSync } from 'node:fs';
import { runCli } from '../cli/run-cli.ts';
import { ConvoyError } from '../core/errors/index.ts';
import { nodeFiles } from './node-files.ts';

/** Put in by the build; in a checkout the version stands in package.json. */
declare const CONVOY_VERSION: string | undefined;

function version(): string {
  if (typeof CONVOY_VERSION === 'string') return CONVOY_VERSION;
  const manifest: { version: string } = JSON.parse(readFileSync(`${import.meta.dirname}/../../package.json`, 'utf8'));
  return manifest.version;
}

/** Resolves also when the reader is gone (`convoy … | head -1`): that is no error of the writer. */
function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      const code = error && 'code' in error ? String(error.code) : 'unknown error';
      if (error && code !== 'EPIPE') reject(new ConvoyError('OutputUnwritable', { reason: code }));
      else resolve();
    });
  });
}

/** What cannot be told because nothing can be written there is not told; the exit code still is. */
function talk(text: string): Promise<void> {
  return write(process.stderr, text).catch(() => {});
}

async function main(): Promise<number> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  try {
    return await runCli(
      {
        args: process.argv.slice(2),
        environment: process.env,
        isTerminal: process.stdout.isTTY === true,
        terminalSize: () => {
          const { rows, columns } = process.stdout;
          // Undefined or 0 where the terminal does not know.
          return rows && columns ? { rows, columns } : undefined;
        },
        version: version(),
        files: nodeFiles,
        now: Date.now,
        out: (text) => write(process.stdout, text),
        err: talk,
      },
      async (rules) => {
        const [{ prepareJudge }, { catalogue }] = await Promise.all([
          import('../cli/prepare-judge.ts'),
          import('../catalogue/index.ts'),
        ]);
        return prepareJudge(rules, catalogue());
      },
      async (options, ready, tell) => (await import('./sandbox.ts')).runSandbox(options, ready, tell),
      async (choice) => (await import('./connect-cluster.ts')).connectByKubeconfig(choice),
      async (options) => (await import('./operator.ts')).runOperator(options),
    );
  } catch (error) {
    const defect =
      error instanceof ConvoyError
        ? error
        : new ConvoyError('Internal', { reason: error instanceof Error ? error.message : String(error) });
    const trace = process.env['CONVOY_DEBUG'] && error instanceof Error ? `${error.stack}\n` : '';
    await talk(`convoy: ${defect.message}\n${trace}`);
    return defect.kind.exitCode;
  }
}

// Not awaited at the top: the bundle is CommonJS. Everything is written when main resolves.
void main().then((code) => process.exit(code));
