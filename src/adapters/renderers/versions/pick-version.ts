import semver from 'semver';
import { plainLine } from '../../../core/errors/index.ts';
import { SourceError } from '../../../ports/renderer.ts';

/** Helm writes "and" as a comma, the semver package as a space. */
function parseRange(range: string): semver.Range | undefined {
  try {
    return new semver.Range(range.replaceAll(',', ' '), {
      loose: true,
      includePrerelease: /\d-[0-9A-Za-z]/.test(range),
    });
  } catch {
    return undefined;
  }
}

/**
 * The highest of the versions in a range, as it was written: `v1.2` counts as 1.2.0 and stays `v1.2`. Versions before a release count only
 * where the range itself names one (`>=1.0.0-0`), and then all of them do, as in Helm. What is no version is passed over.
 * @throws SourceError for what is no range
 */
export function pickVersion(range: string, versions: Iterable<string>): string | undefined {
  const parsed = parseRange(range);
  if (parsed === undefined) {
    throw new SourceError(`${plainLine(range)} is no range of versions; write it like ~1.4 or >=1.2 <2`, 'terminal');
  }
  let best: { readonly text: string; readonly version: semver.SemVer } | undefined;
  for (const text of versions) {
    const version = readVersion(text);
    if (version === undefined || !parsed.test(version)) continue;
    if (best === undefined || semver.compareBuild(version, best.version) > 0) best = { text, version };
  }
  return best?.text;
}

/** `v1`, `1.2` and `1.2.3-rc.1` are versions; `release-7` is none. */
function readVersion(text: string): semver.SemVer | undefined {
  const [, major, minor = '.0', patch = '.0', rest = ''] = /^v?(\d+)(\.\d+)?(\.\d+)?([-+].+)?$/.exec(text) ?? [];
  return major === undefined ? undefined : (semver.parse(`${major}${minor}${patch}${rest}`) ?? undefined);
}
