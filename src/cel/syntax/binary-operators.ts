import type { TokenKind } from './lexer.ts';

interface BinaryOperator {
  readonly fn: string;
  readonly precedence: number;
}

/** Precedences, from loose to tight. */
export const RELATION = 1;
const SUM = 2;
const PRODUCT = 3;
const EQUAL: BinaryOperator = { fn: '_==_', precedence: RELATION };
const NOT_EQUAL: BinaryOperator = { fn: '_!=_', precedence: RELATION };
const LESS: BinaryOperator = { fn: '_<_', precedence: RELATION };
const LESS_EQUAL: BinaryOperator = { fn: '_<=_', precedence: RELATION };
const GREATER: BinaryOperator = { fn: '_>_', precedence: RELATION };
const GREATER_EQUAL: BinaryOperator = { fn: '_>=_', precedence: RELATION };
const IN: BinaryOperator = { fn: '@in', precedence: RELATION };
const ADD: BinaryOperator = { fn: '_+_', precedence: SUM };
const SUBTRACT: BinaryOperator = { fn: '_-_', precedence: SUM };
const MULTIPLY: BinaryOperator = { fn: '_*_', precedence: PRODUCT };
const DIVIDE: BinaryOperator = { fn: '_/_', precedence: PRODUCT };
const REMAINDER: BinaryOperator = { fn: '_%_', precedence: PRODUCT };

/** The binary operator (other than && and ||) that a token is. */
export function operatorOf(kind: TokenKind): BinaryOperator | undefined {
  switch (kind) {
    case '==':
      return EQUAL;
    case '!=':
      return NOT_EQUAL;
    case '<':
      return LESS;
    case '<=':
      return LESS_EQUAL;
    case '>':
      return GREATER;
    case '>=':
      return GREATER_EQUAL;
    case 'in':
      return IN;
    case '+':
      return ADD;
    case '-':
      return SUBTRACT;
    case '*':
      return MULTIPLY;
    case '/':
      return DIVIDE;
    case '%':
      return REMAINDER;
    default:
      return undefined;
  }
}
