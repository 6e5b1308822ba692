import { describe, expect, it } from 'vitest';
import { run } from './memory-io.ts';

describe('version', () => {
  it('is a line, JSON or YAML', async () => {
    expect(await run(['version'])).toEqual({ code: 0, out: 'convoy 1.2.3\n', err: '' });
    expect(await run(['--version'])).toEqual({ code: 0, out: 'convoy 1.2.3\n', err: '' });
    expect(JSON.parse((await run(['version', '-o', 'json'])).out)).toEqual({ version: '1.2.3' });
    expect((await run(['version', '-o=yaml'])).out).toBe('version: 1.2.3\n');
    expect(await run(['version', '-o', 'xml'])).toEqual({
      code: 2,
      out: '',
      err: 'convoy: unknown output format "xml"; use one of json, yaml\n',
    });
  });
});

describe('help', () => {
  it('is a result when it is asked for', async () => {
    for (const args of [['--help'], ['help'], ['health', '-h'], ['help', 'health']]) {
      const { code, out, err } = await run(args);
      expect([code, err], args.join(' ')).toEqual([0, '']);
      expect(out, args.join(' ')).toContain('Usage: convoy');
    }
  });

  it('is that of the command whose words follow, however many they are', async () => {
    expect(await run(['help', 'rules', 'lint'])).toEqual(await run(['rules', 'lint', '--help']));
    expect(await run(['rules', 'help', 'lint'])).toEqual(await run(['rules', 'lint', '--help']));
    expect((await run(['help', 'rules'])).out).toContain('Usage: convoy rules ');
    expect(await run(['help', 'version', '-o'])).toEqual(await run(['version', '--help']));
    expect((await run(['rules', 'eval', 'help'])).err).toContain("undeclared reference to 'help'");
  });

  it('says that there is no such command', async () => {
    expect(await run(['help', 'helth'])).toEqual(await run(['helth']));
    expect(await run(['help', 'rules', 'zzz'])).toEqual(await run(['rules', 'zzz']));
    expect(await run(['rules', 'help', 'zzz'])).toEqual(await run(['rules', 'zzz']));
  });

  it('is talk about a wrong command line when there is no command', async () => {
    const { code, out, err } = await run([]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('Usage: convoy');
  });
});

describe('a command that does not exist', () => {
  it('is told in one line, with the one that was meant', async () => {
    expect(await run(['helth'])).toEqual({
      code: 2,
      out: '',
      err: 'convoy: unknown command "helth"; did you mean health?\n',
    });
    expect((await run(['rules', 'lst'])).err).toBe('convoy: unknown command "lst"; did you mean list?\n');
    expect((await run(['rules', 'zzz'])).err).toBe('convoy: unknown command "zzz"; see `convoy rules --help`\n');
    expect((await run(['rules', 'list', '--zzz'])).err).toBe(
      'convoy: unknown flag --zzz; see `convoy rules list --help`\n',
    );
    expect((await run(['frobnicate'])).err).toBe('convoy: unknown command "frobnicate"; see `convoy --help`\n');
  });
});

describe('the __complete protocol', () => {
  const complete = async (...words: string[]): Promise<string[]> => {
    const { code, out } = await run(['__completeNoDesc', ...words]);
    expect(code).toBe(0);
    return out.trimEnd().split('\n');
  };

  it.each<[string[], string[]]>([
    [
      [''],
      ['health', 'rules', 'release', 'install', 'operator', 'doctor', 'sandbox', 'completion', 'version', 'help', ':4'],
    ],
    [['he'], ['health', 'help', ':4']],
    [
      ['rules', 'show', 'De'],
      ['Deployment', ':4'],
    ],
    [
      ['rules', 'show', 'de'],
      ['deployment', ':4'],
    ],
    [
      ['health', '--na'],
      ['--namespace', ':4'],
    ],
    [
      ['health', '-'],
      [
        '--filename',
        '-f',
        '--namespace',
        '-n',
        '--all-namespaces',
        '-A',
        '--selector',
        '-l',
        '--all-kinds',
        '--output',
        '-o',
        '--rules',
        '--now',
        '--deadline',
        '--exit-zero',
        '--wait',
        '--timeout',
        '--watch',
        '-w',
        '--logs',
        '--context',
        '--kubeconfig',
        '--as',
        '--as-group',
        '--request-timeout',
        '--help',
        '-h',
        ':4',
      ],
    ],
    [['health', ''], [':4']],
    [
      ['health', '-f', ''],
      ['yaml', 'yml', 'json', ':8'],
    ],
    [
      ['health', '--rules', 'ru'],
      ['yaml', 'yml', 'json', ':8'],
    ],
    [
      ['health', '-o', 'j'],
      ['json', 'junit', 'jsonpath=', ':4'],
    ],
    [
      ['health', '-f', 'x', '-o', 'jsonp'],
      ['jsonpath=', ':6'],
    ],
    [
      ['health', '--output=w'],
      ['wide', ':4'],
    ],
    [['health', '--now', ''], [':4']],
    [['health', '--', '-'], [':4']],
    [
      ['version', '-o', ''],
      ['json', 'yaml', ':4'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', ':4'],
    ],
    [['completion', 'bash', ''], [':4']],
    [['nonsense', ''], [':4']],
    [
      [],
      ['health', 'rules', 'release', 'install', 'operator', 'doctor', 'sandbox', 'completion', 'version', 'help', ':4'],
    ],
  ])('%j', async (words, lines) => {
    expect(await complete(...words)).toEqual(lines);
  });

  it.each([
    ['health'],
    ['version'],
    ['rules', 'list'],
    ['rules', 'lint'],
    ['rules', 'test'],
    ['rules', 'eval'],
    ['rules', 'explain'],
  ])('%s %s: each output that is offered stands in its help', async (...command) => {
    const offered = (await complete(...command, '-o', '')).slice(0, -1);
    expect(offered.length).toBeGreaterThan(1);
    const { out } = await run([...command, '--help']);
    for (const value of offered) expect(out).toContain(value);
  });

  it('describes candidates behind a tab', async () => {
    const { out } = await run(['__complete', 'vers']);
    expect(out).toBe('version\tprint the version\n:4\n');
  });
});

describe('completion', () => {
  it.each(['bash', 'zsh', 'fish'])('prints a script for %s that asks __complete', async (shell) => {
    const { code, out } = await run(['completion', shell]);
    expect(code).toBe(0);
    expect(out).toContain('__complete ');
    expect(out).not.toContain('@{');
  });

  it('says which shells there are', async () => {
    expect((await run(['completion', 'tcsh'])).err).toBe('convoy: no completion for "tcsh"; use bash, zsh or fish\n');
    expect(await run(['completion'])).toEqual({
      code: 2,
      out: '',
      err: 'convoy: the argument shell is missing; see `convoy completion --help`\n',
    });
  });
});
