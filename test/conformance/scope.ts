import type { Expr } from '../../src/cel/syntax/ast.ts';
import { childrenOf } from '../../src/cel/syntax/children.ts';
import { ALL_MACROS } from '../../src/cel/syntax/macros.ts';
import { parse } from '../../src/cel/syntax/parser.ts';
import type { ConformanceCase } from './cases.ts';
import { isWrapperName, OutOfScope, type Reason } from './decode.ts';

/** Files whose every case works on messages, enums, extensions or wrappers. */
const PROTOBUF_FILES: ReadonlyMap<string, Reason> = new Map<string, Reason>([
  ['dynamic', 'protobuf message'],
  ['enums', 'enum'],
  ['proto2', 'protobuf message'],
  ['proto2_ext', 'extension'],
  ['proto3', 'protobuf message'],
  ['wrappers', 'wrapper'],
]);

const SYNTAX = {
  macros: new Set(ALL_MACROS),
  quotedFields: true,
  limits: { depth: 250, expressionLength: 100_000, nodes: 50_000, comprehensionNesting: 8 },
};

/** Why a case is outside the engine's scope, found by rule; undefined when it is inside and has to pass. */
export function reasonOutside(test: ConformanceCase): Reason | undefined {
  const byFile = PROTOBUF_FILES.get(test.file);
  if (byFile) return byFile;
  if (test.input instanceof OutOfScope) return test.input.reason;
  const { ast } = parse(test.expr, SYNTAX);
  return ast && messageIn(ast.root);
}

function messageIn(expr: Expr): Reason | undefined {
  if (expr.kind === 'message') return isWrapperName(expr.typeName) ? 'wrapper' : 'protobuf message';
  for (const child of childrenOf(expr)) {
    const found = messageIn(child);
    if (found) return found;
  }
  return undefined;
}
