import type { Expr } from '../syntax/ast.ts';
import { childrenOf } from '../syntax/children.ts';
import { shape } from '../syntax/syntax.fixture.ts';
import { CelDouble, CelUint } from '../value/cel-value.ts';
import { chainOperands } from './expression-document.ts';

/** The structure of a tree as text, chains of && and || without their grouping: equal texts are equal trees. */
export function structure(expr: Expr): string {
  if (expr.kind === 'call' && !expr.target && (expr.fn === '_&&_' || expr.fn === '_||_')) {
    return `(${expr.fn} ${chainOperands(expr).map(structure).join(' ')})`;
  }
  return `${own(expr)}(${childrenOf(expr).map(structure).join(' ')})`;
}

/** What a node says beside its children. */
function own(expr: Expr): string {
  switch (expr.kind) {
    case 'literal':
      if (expr.value instanceof Uint8Array) return `b${expr.value.join()}`;
      if (expr.value instanceof CelDouble) return `double ${Object.is(expr.value.value, -0) ? '-0' : expr.value.value}`;
      return expr.value instanceof CelUint ? `${expr.value.value}u` : `${typeof expr.value} ${shape(expr)}`;
    case 'ident':
      return expr.name;
    case 'select':
      return `.${expr.optional ? '?' : ''}${expr.test ? 'has ' : ''}${expr.quoted ? '`' : ''}${expr.field}`;
    case 'call':
      return `${expr.target ? '.' : ''}${expr.fn}/${expr.args.length}`;
    case 'list':
      return `[${expr.elements.map(({ optional }) => optional).join()}]`;
    case 'map':
      return `{${expr.entries.map(({ optional }) => optional).join()}}`;
    case 'message':
      return `${expr.typeName}{${expr.fields.map(({ name, optional }) => name + optional).join()}}`;
    case 'fold':
      return `${expr.macro}:${expr.operation} ${expr.indexVariable},${expr.variable},${expr.filter !== undefined}`;
    case 'bind':
      return `bind ${expr.variable}`;
    case 'optionalMap':
      return `${expr.flat ? 'optFlatMap' : 'optMap'} ${expr.variable}`;
    case 'block':
      return `block ${expr.slots.length}`;
  }
}
