import { tenthOf } from '../cost-sizes.ts';
import type { Library } from '../declarations.ts';
import { STRING } from '../value/cel-type.ts';
import { declare, globalForm } from './declare.ts';

/** `jsonpatch.escapeKey` of Kubernetes' mutating admission: a key as one step of an RFC 6901 pointer. */
export function jsonpatchLibrary(): Library {
  return {
    name: 'jsonpatch',
    functions: [
      declare(
        'jsonpatch.escapeKey',
        () => [
          globalForm([STRING], STRING, (context, key: string) => {
            context.work(key.length);
            return key.replaceAll('~', '~0').replaceAll('/', '~1');
          }),
        ],
        (_result, key) => tenthOf(key),
      ),
    ],
  };
}
