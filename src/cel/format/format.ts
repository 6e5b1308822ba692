import type { Issue } from '../issue.ts';
import type { Ast } from '../syntax/ast.ts';
import { parse } from '../syntax/parser.ts';
import type { SyntaxDeclarations } from '../syntax/token-stream.ts';
import { readComments } from './comments.ts';
import { documentOf } from './expression-document.ts';
import { layOut } from './layout.ts';

export interface FormatOptions {
  /** Columns that a line should not exceed, default 80. What cannot be broken may be longer. */
  readonly width?: number;
}

const DEFAULT_WIDTH = 80;

/**
 * Macros stay calls, so that every expression that can be read can be formatted, whatever its environment; `optMap` alone
 * is on, as it brings the optional syntax.
 */
const AS_WRITTEN: SyntaxDeclarations = {
  macros: new Set(['optMap']),
  quotedFields: true,
  limits: { depth: 250, expressionLength: 100_000, nodes: 50_000, comprehensionNesting: Number.POSITIVE_INFINITY },
};

/**
 * The expression in canonical form, or what keeps it from being read. Lines break at `&&`, `||`, `?`, `:` and the commas of
 * lists, maps and arguments; comments stay before the token that follows them. Formatting what was formatted changes
 * nothing, and the tree of the result is that of the source, except that `(a && b) && c` loses its parentheses.
 */
export function format(source: string, options: FormatOptions = {}): string | readonly Issue[] {
  const { ast, issues } = parse(source, AS_WRITTEN);
  if (!ast) return issues;
  const document = documentOf(ast, { multiline: true });
  return layOut(document, options.width ?? DEFAULT_WIDTH, readComments(source, ast.comments));
}

/** The expression of a tree on one line, without comments; what it parses to is equal to the tree. */
export function unparse(ast: Ast): string {
  return layOut(documentOf(ast, { multiline: false }), Number.POSITIVE_INFINITY, []);
}
