import type { KindSchemas } from '../core/schema/kind-schemas.ts';
import { SCHEMAS_JSON } from './schemas.gen.ts';

/** Fields of the built-in kinds and of the Gateway API's. Import this file on first use: it is 150 kB that only a linter needs. */
export function builtInSchemas(): KindSchemas {
  const schemas: KindSchemas = JSON.parse(SCHEMAS_JSON);
  return schemas;
}
