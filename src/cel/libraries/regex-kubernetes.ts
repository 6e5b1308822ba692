import { regexCost } from '../cost-sizes.ts';
import type { CallContext, CostRule, Library } from '../declarations.ts';
import { CelError } from '../error.ts';
import { allMatches } from '../regex/all-matches.ts';
import { searchWork } from '../regex/compiled-regex.ts';
import { INT, list, STRING } from '../value/cel-type.ts';
import { declare, memberForm } from './declare.ts';

const searchCost: CostRule = (_result, text, pattern) => regexCost(text, pattern);

function find(context: CallContext, text: string, pattern: string): string | CelError {
  const regex = context.regex(pattern);
  if (regex instanceof CelError) return regex;
  context.work(searchWork(regex, text));
  const match = regex.exec(text, 0);
  return match === undefined ? '' : text.slice(match[0], match[1]);
}

function findAll(
  context: CallContext,
  text: string,
  pattern: string,
  limit: number | bigint = -1,
): readonly string[] | CelError {
  const regex = context.regex(pattern);
  if (regex instanceof CelError) return regex;
  context.work(searchWork(regex, text));
  const found: string[] = [];
  if (limit === 0) return found;
  for (const match of allMatches(regex, text)) {
    found.push(text.slice(match[0], match[1]));
    context.work(1);
    if (found.length === Number(limit)) break;
  }
  return found;
}

/** find and findAll, as every Kubernetes version has them. */
export function kubernetesRegexLibrary(): Library {
  return {
    name: 'kubernetes.regex',
    functions: [
      declare('find', () => [memberForm([STRING, STRING], STRING, find)], searchCost),
      declare(
        'findAll',
        () => [
          memberForm([STRING, STRING], list(STRING), findAll),
          memberForm([STRING, STRING, INT], list(STRING), findAll),
        ],
        searchCost,
      ),
    ],
  };
}
