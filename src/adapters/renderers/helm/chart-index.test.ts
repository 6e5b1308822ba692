import { beforeAll, describe, expect, it } from 'vitest';
import { loadYamlParser } from '../../../manifests/index.ts';
import { readChartIndex } from './chart-index.ts';

let parseYaml: (text: string) => unknown;
const parsed: number[] = [];
beforeAll(async () => {
  const parse = await loadYamlParser();
  parseYaml = (text) => {
    parsed.push(text.length);
    return parse(text);
  };
});

const entry = (name: string, version: string) =>
  `  - apiVersion: v2
    created: "2026-01-01T00:00:00Z"
    digest: ${'a'.repeat(64)}
    name: ${name}
    description: |
      lines:
        with: colons
    urls:
    - ${name}-${version}.tgz
    version: ${version}
`;
const index = `apiVersion: v1
entries:
  shop:
${entry('shop', '1.0.0')}${entry('shop', '1.10.0')}  shop-extra:
${entry('shop-extra', '9.0.0')}  "quoted":
${entry('quoted', '2.0.0')}generated: "2026-01-01T00:00:00Z"
`;
const versions = (text: string, chart: string) =>
  readChartIndex(text, chart, 'https://x/index.yaml', parseYaml).versions?.map(({ version }) => version);

describe('the index of a chart repository', () => {
  it('gives the versions of one chart, and of the YAML only that is read', () => {
    parsed.length = 0;
    expect(readChartIndex(index, 'shop', 'x', parseYaml).versions?.[1]).toEqual({
      version: '1.10.0',
      digest: 'a'.repeat(64),
      url: 'shop-1.10.0.tgz',
      created: '2026-01-01T00:00:00Z',
    });
    expect(versions(index, 'shop-extra')).toEqual(['9.0.0']);
    expect(versions(index, 'quoted')).toEqual(['2.0.0']);
    expect(Math.max(...parsed)).toBeLessThan(index.length / 1.5);
  });

  it.each([
    ['with line ends of Windows', index.replaceAll('\n', '\r\n')],
    ['indented otherwise', index.replaceAll(/^ {2}/gm, '    ')],
    ['as JSON', JSON.stringify({ entries: { shop: [{ version: '1.0.0' }, { version: '1.10.0' }] } })],
    ['in one line', 'entries: {shop: [{version: 1.0.0}, {version: 1.10.0}]}'],
    ['whose names are followed by comments', index.replace('  shop:', '  shop: # the shop')],
  ])('is read %s as well', (_what, text) => {
    expect(versions(text, 'shop')).toEqual(['1.0.0', '1.10.0']);
  });

  it('tells what it has instead of a chart that is not there', () => {
    expect(readChartIndex(index, 'shopp', 'x', parseYaml)).toEqual({
      versions: undefined,
      others: ['shop', 'shop-extra', 'quoted'],
    });
    expect(readChartIndex('apiVersion: v1\nentries: {}\n', 'shop', 'x', parseYaml).versions).toBeUndefined();
    expect(readChartIndex(index, 'constructor', 'x', parseYaml).versions).toBeUndefined();
  });

  it.each([
    [
      '<html><body>Sign in</body></html>',
      'https://x/index.yaml: a page of HTML came; is it the address of a chart repository?',
    ],
    ['hello', 'https://x/index.yaml: no index of charts came'],
    ['{"entries": [', 'https://x/index.yaml: no index of charts ('],
    ['a: [', 'https://x/index.yaml: no index of charts ('],
    ['', 'no index of charts came'],
  ])('is not what begins with %j', (text, message) => {
    expect(() => versions(text, 'shop')).toThrow(message);
  });
});
