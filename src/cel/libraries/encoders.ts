import { tenthOf } from '../cost-sizes.ts';
import type { CostRule, Library } from '../declarations.ts';
import { CelError } from '../error.ts';
import { decodeBase64, encodeBase64 } from '../text/base64.ts';
import { BYTES, STRING } from '../value/cel-type.ts';
import { declare, globalForm } from './declare.ts';

/** Options of the libraries whose calls the reference charges with 1 whatever their size. */
export interface CostOptions {
  /** True restores the reference's flat cost of 1. */
  readonly referenceCosts?: boolean;
}

/** base64.encode and base64.decode (cel-go ext, version 0), charged by the length of their argument. */
export function encodersLibrary(_version?: number, options: CostOptions = {}): Library {
  const cost: CostRule | undefined = options.referenceCosts ? undefined : (_result, argument) => tenthOf(argument);
  return {
    name: 'encoders',
    functions: [
      declare(
        'base64.decode',
        () => [
          globalForm([STRING], BYTES, (context, text: string) => {
            context.work(text.length);
            return decodeBase64(text, 'optional') ?? new CelError('bad_argument', 'base64.decode: illegal base64 data');
          }),
        ],
        cost,
      ),
      declare(
        'base64.encode',
        () => [
          globalForm([BYTES], STRING, (context, bytes: Uint8Array) => {
            context.work(bytes.length);
            return encodeBase64(bytes);
          }),
        ],
        cost,
      ),
    ],
  };
}
