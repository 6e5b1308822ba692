import { expect } from 'vitest';

/** What has to be told, in this order; other news may stand between. */
const STORY: readonly RegExp[] = [
  /^1\. A shop is released/,
  /the preSync hook Job shop\/migrate has succeeded/,
  /wave 0 is applied/,
  /wave 1 is applied/,
  /wave 2 is applied/,
  /Healthy is True, Healthy: 5 resources healthy/,
  /the postSync hook Job shop\/announce runs/,
  /the postSync hook Job shop\/announce has succeeded/,
  /Ready is True, Succeeded/,
  /^2\. A new version names an image that does not exist/,
  /Healthy is False, Progressing/,
  /Healthy is False, Degraded: 1 of 5 resources Degraded: Deployment shop\/web: .*: pod web-\S+ ImagePullBackOff: /,
  /Ready is False, WaveDegraded: wave 2: Deployment shop\/web: .* ImagePullBackOff: /,
  /^3\. Back to what was healthy last/,
  /Healthy is True, Healthy: 5 resources healthy/,
  /Ready is False, RolledBack/,
  /^4\. The version is mended/,
  /the postSync hook Job shop\/announce has succeeded/,
  /Ready is True, Succeeded/,
  /^5\. Somebody changes the cluster by hand/,
  /Drifted is True, Drifted: 1 of 5 resources differs: Deployment shop\/web: \.spec\.replicas \(kubectl\)/,
  /Drifted is False, InSync/,
  /^6\. The banner leaves the source/,
  /Ready is True, Succeeded/,
  /^7\. The Release is deleted/,
  /the Release is gone/,
  /^8\. It is released once more/,
  /Ready is True, Succeeded/,
];

/** Fails with the first line of the story that was not told in its turn. */
export function expectReleaseStory(lines: readonly string[]): void {
  let place = 0;
  for (const part of STORY) {
    const found = lines.findIndex((line, index) => index >= place && part.test(line));
    expect(found, `${part} was not told behind line ${place} of\n${lines.join('\n')}`).toBeGreaterThanOrEqual(0);
    place = found + 1;
  }
}
