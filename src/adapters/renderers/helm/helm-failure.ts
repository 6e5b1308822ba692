import { plainLine } from '../../../core/errors/index.ts';
import { hideTexts } from '../../../core/source/index.ts';
import { SourceError } from '../../../ports/renderer.ts';

/** Characters of Helm's own words. */
const LONGEST = 500;

/** The error of a `helm template` that ended badly, in one line with template and line; texts that are secret are not quoted. */
export function helmFailure(stderr: string, secrets: readonly string[]): SourceError {
  const said = stderr.slice(Math.max(stderr.lastIndexOf('\nError: '), 0)).replace(/^\s*Error: /, '');
  const missing = /missing in charts\/ directory: (.+)/.exec(said)?.[1];
  if (missing !== undefined) {
    return new SourceError(
      `the chart needs ${plainLine(missing)}, which its folder charts/ does not hold; run \`helm dependency build\` and publish it with that folder`,
      'terminal',
    );
  }
  const line = plainLine(hideTexts(said.replace(/Use --debug flag.*/s, ''), secrets));
  const cut = line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
  return new SourceError(`helm: ${cut || 'ended without a word'}`, 'terminal');
}
