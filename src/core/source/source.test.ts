import { describe, expect, it } from 'vitest';
import { hideTexts, insidePath, insidePathFrom, isWithin, readSourceAddress, secretTexts } from './index.ts';

const ALL = ['https', 'http', 'ssh', 'oci'] as const;

describe('the address of a source', () => {
  it.each([
    [
      'https://git.example.com/team/app.git',
      'https://git.example.com/team/app.git',
      'https://git.example.com/team/app.git',
    ],
    ['ssh://git@git.example.com:2222/app', 'ssh://git@git.example.com:2222/app', 'ssh://git@git.example.com:2222/app'],
    ['oci://ghcr.io/team/app', 'https://ghcr.io/team/app', 'oci://ghcr.io/team/app'],
    ['oci://localhost:5000/app', 'http://localhost:5000/app', 'oci://localhost:5000/app'],
    ['http://[::1]:80/x', 'http://[::1]/x', 'http://[::1]/x'],
    [
      'https://charts.example.com/x?token=abc#d',
      'https://charts.example.com/x?token=abc#d',
      'https://charts.example.com/x',
    ],
  ])('%s is read', (text, href, shown) => {
    const read = readSourceAddress(text, 'source.git.url', ALL);
    expect('url' in read ? [read.url.href, read.shown] : read.problem).toEqual([href, shown]);
  });

  it.each([
    ['git@github.com:team/app.git', 'source.git.url is no URL; write ssh://git@github.com/team/app.git'],
    ['http://git.example.com/app', 'is not encrypted; write https://'],
    ['http://127.0.0.1.evil.example/app', 'is not encrypted'],
    ['file:///etc', 'is no address that can be fetched; it starts with one of https://'],
    ['ext::sh -c id', 'is no address that can be fetched'],
    ['https://-oProxyCommand=id/x', 'names no host'],
    ['ssh://-oProxyCommand=id/x', 'names no host'],
    ['', 'is no address that can be fetched'],
    ['https://a b/c', 'is no address that can be fetched'],
  ])('%s is refused', (text, problem) => {
    const read = readSourceAddress(text, 'source.git.url', ALL);
    expect('problem' in read && read.problem).toContain(problem);
  });

  it('never repeats credentials that stand in it', () => {
    const read = readSourceAddress('https://bob:hunter2@git.example.com/x?key=abc', 'source.git.url', ALL);
    expect(read).toEqual({
      problem:
        'source.git.url holds credentials (https://git.example.com/x); put them into the Secret that secretRef names',
    });
  });
});

describe('a path below a folder', () => {
  it.each([
    ['a/b', 'a/b'],
    ['./a//b/', 'a/b'],
    ['a/../b', 'b'],
    ['', ''],
    ['.', ''],
    ['..', undefined],
    ['a/../../b', undefined],
    ['/etc', undefined],
    ['a\\..\\b', undefined],
    ['a\u0000', undefined],
  ])('%j is %j', (path, shortest) => {
    expect(insidePath(path)).toBe(shortest);
  });

  it('is found from another folder, but never outside the root', () => {
    expect(insidePathFrom('overlays/prod', '../../base')).toBe('base');
    expect(insidePathFrom('', 'base')).toBe('base');
    expect(insidePathFrom('overlays', '../../base')).toBeUndefined();
    expect(insidePathFrom('overlays', '/base')).toBeUndefined();
  });

  it('is within a folder of that name, not of one that starts alike', () => {
    expect([isWithin('a/b', 'a'), isWithin('a', 'a'), isWithin('ab', 'a'), isWithin('a', '')]).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });
});

describe('secrets in values', () => {
  it('are hidden in messages, and nothing else is', () => {
    const texts = secretTexts({
      db: { password: 'hunter2' },
      tls: { privateKey: 'BEGIN\nabcd1234\nEND' },
      image: 'nginx',
    });
    expect(hideTexts("at '/db/password': 'hunter2' is bad, abcd1234 too, nginx not", texts)).toBe(
      "at '/db/password': '***' is bad, *** too, nginx not",
    );
  });

  it('are hidden below a key that sounds like one, in lists too', () => {
    expect(secretTexts({ authTokens: [{ value: 'first-one' }, 'second'], n: 1 })).toEqual(['first-one', 'second']);
  });
});
