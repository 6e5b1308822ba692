import type { InventoryEntry } from '../../api/index.ts';
import type { PathDrift } from './compare-object.ts';
import type { Finding } from './drift-record.ts';

/** What `convoy release diff` shows of one object. */
export interface ObjectDiff {
  readonly entry: Pick<InventoryEntry, 'group' | 'version' | 'kind' | 'namespace' | 'name'>;
  readonly finding: Finding;
}

/** Characters of a value that a line shows. */
const LONGEST_VALUE = 120;

/**
 * A block of lines for each object that differs or could not be compared; '' when all are as rendered.
 *
 *     apps/v1 Deployment shop/web
 *       .spec.replicas: 5 → 3  (kubectl-edit)
 */
export function diffText(objects: readonly ObjectDiff[]): string {
  return objects
    .flatMap(({ entry, finding }) => {
      const lines = linesOf(finding);
      return lines.length === 0 ? [] : [[titleOf(entry), ...lines.map((line) => `  ${line}`)].join('\n')];
    })
    .map((block) => `${block}\n`)
    .join('');
}

function titleOf({ group, version, kind, namespace, name }: ObjectDiff['entry']): string {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return `${apiVersion} ${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
}

function linesOf(finding: Finding): readonly string[] {
  switch (finding.kind) {
    case 'same':
      return [];
    case 'missing':
      return ['is not on the cluster'];
    case 'failed':
      return [`cannot be compared: ${finding.message}`];
    case 'drifted':
      return finding.paths.map(pathLine);
  }
}

/** From what is on the cluster to what is rendered. */
function pathLine({ path, manager, live, wanted }: PathDrift): string {
  const values = live === undefined && wanted === undefined ? '' : `: ${valueText(live)} → ${valueText(wanted)}`;
  return `${path}${values}${manager === '' ? '' : `  (${manager})`}`;
}

function valueText(json: string | undefined): string {
  if (json === undefined) return 'absent';
  return json.length <= LONGEST_VALUE ? json : `${json.slice(0, LONGEST_VALUE)}…`;
}
