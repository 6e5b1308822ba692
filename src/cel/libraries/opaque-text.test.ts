import { describe, expect, it } from 'vitest';
import { createEnvironment } from '../environment.ts';
import { CelError } from '../error.ts';
import { toJs } from '../json.ts';

describe('a library value shown to people', () => {
  it.each([
    ['quantity("1.5Gi")', '1610612736'],
    ['semver("1.2.3-rc.1+b")', '1.2.3-rc.1'],
    ['semver("v1", true)', '1.0.0'],
    ['ip("::0:1")', '::1'],
    ['cidr("10.0.0.1/8")', '10.0.0.1/8'],
    ['url("https://user:secret@a:8/b c?x=1#f")', 'https://a:8/b%20c?x=1#f'],
    ['url("/a")', '/a'],
    ['url("mailto:a@b")', 'mailto:a@b'],
    ['format.uri()', 'uri'],
  ])('%s is %s', (expression, text) => {
    const compiled = createEnvironment().compile(expression);
    if (!compiled.ok) throw new Error(compiled.issues[0]?.message);
    const value = compiled.program.evaluate({});
    expect(value instanceof CelError ? value.message : toJs(value)).toBe(text);
  });
});
