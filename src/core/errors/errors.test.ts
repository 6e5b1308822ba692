import { describe, expect, it } from 'vitest';
import { ConvoyError, ERRORS, type ErrorKind, errorText } from './index.ts';

const rows: [string, ErrorKind][] = Object.entries(ERRORS);

describe('the error table', () => {
  it.each(rows)('%s says what is wrong and how to mend it in one line', (_, kind) => {
    expect(kind.message).toMatch(/^[^\n.]/);
    expect(kind.mend.length).toBeGreaterThan(0);
    expect(`${kind.message}${kind.mend}`).not.toMatch(/[\n\t]/);
    expect(kind.exitCode).toBeGreaterThan(0);
    expect(kind.httpStatus).toBeGreaterThanOrEqual(400);
  });

  it('gives every error of input and of usage the exit code 2', () => {
    const others = ['Internal', 'ClusterUnreachable', 'ClusterRefused', 'WaitTimeout'];
    const codes = rows.filter(([code]) => !others.includes(code)).map(([, kind]) => kind.exitCode);
    expect(new Set(codes)).toEqual(new Set([2]));
  });

  it('tells a cluster that cannot be read and a wait that was too short by codes of their own', () => {
    const { ClusterUnreachable, ClusterRefused, WaitTimeout } = ERRORS;
    expect([ClusterUnreachable.exitCode, ClusterRefused.exitCode, WaitTimeout.exitCode]).toEqual([3, 3, 4]);
  });
});

describe('the text of an error', () => {
  it('fills in the values that are known', () => {
    expect(errorText('ApiVersionMissing', { kind: 'Deployment' })).toBe(
      'Deployment without apiVersion; add apiVersion:, for example apps/v1',
    );
  });

  it('stays one line whatever a value holds', () => {
    const text = errorText('YamlInvalid', { reason: 'a\n\tb\u001b[31m' });
    expect(text).toBe('a b?[31m; mend the YAML there or in the line above');
  });

  it('cuts a value that would fill the screen', () => {
    expect(errorText('UnknownFlag', { name: 'x'.repeat(10_000), hint: 'y' }).length).toBeLessThan(400);
  });

  it('does not read a value as a template', () => {
    expect(errorText('UnknownFlag', { name: '{hint}', hint: 'see --help' })).toBe('unknown flag {hint}; see --help');
  });

  it('is the message of a thrown error, which carries its exit code', () => {
    const error = new ConvoyError('InputNotFound');
    expect(error.message).toBe('no such file; check the path');
    expect(error.kind.exitCode).toBe(2);
  });
});
