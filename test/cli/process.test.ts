import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const launcher = join(import.meta.dirname, '..', '..', 'bin', 'convoy');
const pluginCompleter = join(import.meta.dirname, '..', '..', 'bin', 'kubectl_complete-convoy');
const CONFIG_MAP = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'convoy-process-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function start(program: string, args: readonly string[], input = '', environment: Record<string, string> = {}): Ended {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: folder,
    input,
    encoding: 'utf8',
    env: { ...process.env, ...environment },
  });
  return { code: status, out: stdout, err: stderr };
}

describe('the launcher', () => {
  it('works by a link from another folder, under the name of a kubectl plugin', () => {
    mkdirSync(join(folder, 'links'));
    symlinkSync(launcher, join(folder, 'links', 'first'));
    symlinkSync('first', join(folder, 'links', 'kubectl-convoy'));
    expect(start(join(folder, 'links', 'kubectl-convoy'), ['version']).out).toMatch(/^convoy \d+\.\d+\.\d+\n$/);
  });

  it('completes for kubectl', () => {
    symlinkSync(pluginCompleter, join(folder, 'kubectl_complete-convoy'));
    const { out } = start(join(folder, 'kubectl_complete-convoy'), ['health', '-o', 'wi']);
    expect(out).toBe('wide\n:4\n');
  });

  it('says what to do where no Node is new enough', () => {
    // A copy of the launcher alone, with an old Node as the only one in the PATH.
    const bin = join(folder, 'elsewhere', 'bin');
    const old = join(folder, 'old');
    mkdirSync(bin, { recursive: true });
    mkdirSync(old);
    writeFileSync(join(old, 'node'), '#!/bin/sh\necho 20.1.0\n');
    chmodSync(join(old, 'node'), 0o755);
    spawnSync('cp', [launcher, bin]);
    const { code, err } = start('/bin/sh', [join(bin, 'convoy'), 'version'], '', {
      PATH: `${old}${delimiter}/usr/bin${delimiter}/bin`,
    });
    expect(code).toBe(2);
    expect(err).toMatch(
      /^convoy: needs Node 24 or newer, found 20\.1\.0: run `make build` in \S+, or install Node 24\n$/,
    );
  });
});

describe('the process', () => {
  it('reads stdin, a pipe that is closed early included', () => {
    const { code, out } = start(launcher, ['health', '-f', '-', '-o', 'json'], CONFIG_MAP);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ items: [{ source: '-', kind: 'ConfigMap', name: 'a' }] });
  });

  it('ends quietly, with its own exit code, when nobody reads on', () => {
    const items = Array.from({ length: 3000 }, () => CONFIG_MAP).join(',');
    writeFileSync(join(folder, 'many.json'), `{"apiVersion":"v1","kind":"List","items":[${items}]}`);
    const script = `"${launcher}" health -f many.json -o wide | head -n 1; echo "\${PIPESTATUS[0]}"`;
    const { out, err } = start('bash', ['-c', script]);
    expect(out.split('\n').slice(0, 2)).toEqual([expect.stringMatching(/^STATE /), '0']);
    expect(err).toBe('');
  });

  it.each<[string, () => string, RegExp]>([
    ['a missing file', () => 'missing.yaml', /^missing\.yaml: no such file; check the path\n$/],
    ['a path through a file', () => 'plain.yaml/x', /^plain\.yaml\/x: no such file; check the path\n$/],
    [
      'a device without an end',
      () => '/dev/zero',
      /^\/dev\/zero: is more than 100 MB long, more than the 100 MB that are read at once; /,
    ],
    [
      'a file of 100 MB and more',
      () => {
        writeFileSync(join(folder, 'huge.yaml'), '');
        truncateSync(join(folder, 'huge.yaml'), 120_000_000);
        return 'huge.yaml';
      },
      /^huge\.yaml: is 120 MB long, more than the 100 MB that are read at once; split it, /,
    ],
    [
      'a broken file',
      () => 'broken.yaml',
      /^broken\.yaml: document 1, line 2: a tab in the indentation; indent with spaces\n$/,
    ],
  ])('%s ends it with one line and exit code 2', (_, path, line) => {
    writeFileSync(join(folder, 'plain.yaml'), CONFIG_MAP);
    writeFileSync(join(folder, 'broken.yaml'), 'kind: A\n\tx: 1\n');
    const { code, out, err } = start(launcher, ['health', '-f', path()]);
    expect(err).toMatch(line);
    expect([code, out]).toEqual([2, '']);
  });

  it('reads a folder to any depth', () => {
    mkdirSync(join(folder, 'd', 'e'), { recursive: true });
    writeFileSync(join(folder, 'd', 'e', 'a.json'), CONFIG_MAP);
    writeFileSync(join(folder, 'd', 'b.yaml'), `---\n${CONFIG_MAP}\n`);
    const { out } = start(launcher, ['health', '-f', 'd', '-o', 'jsonpath={.items[*].source}']);
    expect(out).toBe(`${join('d', 'b.yaml')} ${join('d', 'e', 'a.json')}`);
  });

  it('reads the files of a mounted ConfigMap once', () => {
    mkdirSync(join(folder, 'mount', '..2026_03_02'), { recursive: true });
    writeFileSync(join(folder, 'mount', '..2026_03_02', 'a.json'), CONFIG_MAP);
    symlinkSync('..2026_03_02', join(folder, 'mount', '..data'));
    symlinkSync(join('..data', 'a.json'), join(folder, 'mount', 'a.json'));
    const { out } = start(launcher, ['health', '-f', 'mount', '-o', 'jsonpath={.items[*].source}']);
    expect(out).toBe(join('mount', 'a.json'));
  });

  it('reads a folder whose links lead back to it, to pipes and to nowhere', () => {
    mkdirSync(join(folder, 'round', 'a'), { recursive: true });
    writeFileSync(join(folder, 'round', 'a', 'x.json'), CONFIG_MAP);
    symlinkSync('..', join(folder, 'round', 'a', 'up'));
    symlinkSync('..', join(folder, 'round', 'a', 'up-again'));
    symlinkSync('a', join(folder, 'round', 'folder.yaml'));
    start('mkfifo', ['round/pipe.yaml']);
    symlinkSync('pipe.yaml', join(folder, 'round', 'link-to-pipe.yaml'));
    const { out } = start(launcher, ['health', '-f', 'round', '-o', 'jsonpath={.items[*].source}']);
    expect(out).toBe(join('round', 'a', 'x.json'));
    symlinkSync('nowhere', join(folder, 'round', 'b.yaml'));
    symlinkSync('c.yaml', join(folder, 'round', 'c.yaml'));
    const { code, err } = start(launcher, ['health', '-f', 'round']);
    expect(err.split('\n')).toEqual([
      'round/b.yaml: no such file; check the path',
      'round/c.yaml: cannot be read (ELOOP); check that it is a file or a folder',
      '',
    ]);
    expect(code).toBe(2);
  });

  it('a disk that is full is told, not taken for a defect', ({ skip }) => {
    if (!existsSync('/dev/full')) skip('there is no /dev/full');
    writeFileSync(join(folder, 'plain.yaml'), CONFIG_MAP);
    const { code, err } = start('sh', ['-c', `"${launcher}" health -f plain.yaml > /dev/full`]);
    expect(err).toMatch(/^convoy: the output cannot be written \(ENOSPC\); /);
    expect(code).toBe(2);
    expect(start('sh', ['-c', `"${launcher}" health -f missing.yaml 2> /dev/full`]).code).toBe(2);
  });

  it('reads a pipe that is named like a file', () => {
    const script = `"${launcher}" health -f <(echo '${CONFIG_MAP}') -o jsonpath={.summary.total}`;
    expect(start('bash', ['-c', script])).toMatchObject({ code: 0, out: '1' });
  });

  it('may not read a file', ({ skip }) => {
    if (process.getuid?.() === 0) skip('root may read every file');
    writeFileSync(join(folder, 'secret.yaml'), CONFIG_MAP, { mode: 0 });
    const { code, err } = start(launcher, ['health', '-f', 'secret.yaml']);
    expect(err).toBe('secret.yaml: may not be read; give yourself read access to it\n');
    expect(code).toBe(2);
  });
});

describe('the bash script, sourced', () => {
  /** What bash offers for a line, the cursor at its end. */
  function offers(words: readonly string[]): string[] {
    const array = words.map((word) => `'${word}'`).join(' ');
    const script = `source <(convoy completion bash); COMP_WORDS=(${array}); COMP_CWORD=${words.length - 1}; __convoy_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const path = `${join(launcher, '..')}${delimiter}${process.env['PATH']}`;
    const { out, err } = start('bash', ['--norc', '-c', script], '', { PATH: path });
    expect(err).toBe('');
    return out.trimEnd().split('\n');
  }

  it('completes commands, flags and values', () => {
    expect(offers(['convoy', 'he'])).toEqual(['health', 'help']);
    expect(offers(['convoy', 'health', '--exit'])).toEqual(['--exit-zero']);
    expect(offers(['convoy', 'health', '-o', 'j'])).toEqual(['json', 'junit', 'jsonpath=']);
    expect(offers(['convoy', 'health', '--output', '=', 'w'])).toEqual(['wide']);
    expect(offers(['convoy', 'health', '--output', '='])).toContain('yaml');
  });

  it('completes manifests and folders for -f', () => {
    mkdirSync(join(folder, 'c', 'sub'), { recursive: true });
    for (const name of ['a.yaml', 'b.json', 'c.txt']) writeFileSync(join(folder, 'c', name), '');
    expect(offers(['convoy', 'health', '-f', 'c/']).sort()).toEqual(['c/a.yaml', 'c/b.json', 'c/sub']);
  });
});
