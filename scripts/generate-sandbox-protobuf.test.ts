import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { generateProtobuf, PROTOBUF_OUTPUT, protobufSources } from './generate-sandbox-protobuf.ts';

describe('the messages of protobuf that are checked in', () => {
  it('are what the generator makes', (context) => {
    const sources = protobufSources();
    if (sources === undefined) {
      context.skip("needs Go's module cache to hold k8s.io/api, k8s.io/apimachinery and k8s.io/kube-aggregator");
      return;
    }
    expect(generateProtobuf(sources) === readFileSync(PROTOBUF_OUTPUT, 'utf8')).toBe(true);
  });
});
