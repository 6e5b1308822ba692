import { type ErrorCode, errorText } from '../../../core/errors/index.ts';
import { field, isMap } from '../../../core/object/fields.ts';
import { type KindSchemas, mergeKindSchemas } from '../../../core/schema/kind-schemas.ts';
import { reduceSchemaDocument } from '../../../core/schema/reduce-schema.ts';
import { formatProblem } from '../../../manifests/index.ts';
import type { InputFiles } from '../../io.ts';
import { readRuleDocuments } from '../../read-inputs.ts';

/** The built-in kinds and those of `--schema`, which replace them; lines for what cannot be read. */
export async function readSchemas(
  paths: readonly string[],
  files: InputFiles,
): Promise<{ readonly schemas: KindSchemas; readonly lines: readonly string[] }> {
  const { builtInSchemas } = await import('../../../catalogue/schemas.ts');
  const { documents, problems } = await readRuleDocuments(paths, files);
  const lines = problems.map(formatProblem);
  const given: KindSchemas[] = [];
  const inputs = new Map(documents.map(({ input }) => [input, false]));
  for (const { value, input } of documents) {
    for (const one of elementsOf(value)) {
      const reduced = reduceSchemaDocument(one);
      if (reduced === undefined || Object.keys(reduced.kinds).length === 0) continue;
      given.push(reduced);
      inputs.set(input, true);
    }
  }
  const unknown: ErrorCode = 'SchemaUnknown';
  for (const [input, found] of inputs) if (!found) lines.push(`${input}: ${errorText(unknown)}`);
  return { schemas: mergeKindSchemas([builtInSchemas(), ...given]), lines };
}

/** The objects of a List (`kubectl get crd -o yaml`), else the document itself. */
function elementsOf(value: unknown): readonly unknown[] {
  const items = field(value, 'items');
  return isMap(value) && Array.isArray(items) ? items : [value];
}
