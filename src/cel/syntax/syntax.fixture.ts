import type { Ast, Expr } from './ast.ts';
import { ALL_MACROS } from './macros.ts';
import { parse, type SyntaxDeclarations } from './parser.ts';

/** Everything on, limits as by default. */
export const EVERYTHING: SyntaxDeclarations = {
  macros: new Set(ALL_MACROS),
  quotedFields: true,
  limits: { depth: 250, expressionLength: 100_000, nodes: 50_000, comprehensionNesting: 8 },
};

export function parsed(source: string, declarations = EVERYTHING): Ast {
  const { ast, issues } = parse(source, declarations);
  if (!ast) throw new Error(`${source}: ${issues.map(({ message }) => message).join('; ')}`);
  return ast;
}

/** A tree as text with every structure visible: `(+ a (* b c))`. */
export function shape(expr: Expr): string {
  switch (expr.kind) {
    case 'literal':
      return typeof expr.value === 'string' ? JSON.stringify(expr.value) : String(expr.value);
    case 'ident':
      return expr.name;
    case 'select':
      return `${shape(expr.operand)}${expr.optional ? '.?' : expr.test ? '.has:' : '.'}${expr.field}`;
    case 'call': {
      const name = expr.fn.replaceAll('_', '') || expr.fn;
      return `(${[expr.target ? `.${name} ${shape(expr.target)}` : name, ...expr.args.map(shape)].join(' ')})`;
    }
    case 'list':
      return `[${expr.elements.map(({ value, optional }) => (optional ? '?' : '') + shape(value)).join(' ')}]`;
    case 'map':
      return `{${expr.entries.map((e) => `${e.optional ? '?' : ''}${shape(e.key)}:${shape(e.value)}`).join(' ')}}`;
    case 'message':
      return `${expr.typeName}{${expr.fields.map((field) => `${field.name}:${shape(field.value)}`).join(' ')}}`;
    case 'fold': {
      const names = expr.indexVariable === undefined ? expr.variable : `${expr.indexVariable},${expr.variable}`;
      const filter = expr.filter ? ` if ${shape(expr.filter)}` : '';
      return `<${expr.operation} ${names} in ${shape(expr.range)}${filter}: ${shape(expr.body)}>`;
    }
    case 'bind':
      return `<bind ${expr.variable}=${shape(expr.init)}: ${shape(expr.body)}>`;
    case 'optionalMap':
      return `<${expr.flat ? 'optFlatMap' : 'optMap'} ${expr.variable} of ${shape(expr.target)}: ${shape(expr.body)}>`;
    case 'block':
      return `<block ${expr.slots.map(shape).join(', ')}: ${shape(expr.body)}>`;
  }
}

/** The issues of a source as `line:column code message | hint`. */
export function complaints(source: string, declarations = EVERYTHING): string[] {
  return parse(source, declarations).issues.map(
    ({ line, column, code, message, hint }) => `${line}:${column} ${code} ${message}${hint ? ` | ${hint}` : ''}`,
  );
}
