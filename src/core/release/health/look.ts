import type { VerdictReason } from '../../health/index.ts';
import type { KubernetesObject } from '../../object/kubernetes-object.ts';

/** Why an object could not be read. "Could not read" is never "unhealthy". */
export type ReadFault = Extract<VerdictReason, 'NotFound' | 'Forbidden' | 'Unreachable' | 'Timeout' | 'KindNotServed'>;

/** What came of reading one object of an inventory. */
export type Look =
  | { readonly object: KubernetesObject }
  | { readonly fault: ReadFault /** One sentence for a person. */; readonly message: string };
