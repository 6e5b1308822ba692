import { CelError } from '../error.ts';
import { binaryCallRun, unaryCallRun } from '../evaluate/calls.ts';
import { type ClosureOptions, compileClosures } from '../evaluate/closures.ts';
import type { Run, Step } from '../evaluate/frame.ts';
import { notBool } from '../evaluate/logic.ts';
import {
  arithmeticRun,
  equalityRun,
  isPlainConstant,
  membershipKeys,
  membershipRun,
  orderRun,
} from '../evaluate/operators.ts';
import type {
  ArithmeticPlan,
  CallPlan,
  ConditionalPlan,
  ConstantPlan,
  EqualityPlan,
  LazyPlan,
  LogicPlan,
  MembershipPlan,
  NotPlan,
  OrderPlan,
  Plan,
  ProgramPlan,
  VariablePlan,
} from '../plan/plan.ts';
import type { CelResult } from '../value/cel-value.ts';
import { mapKey } from '../value/map.ts';
import { Emitter } from './emitter.ts';
import { emitFold } from './fold-code.ts';
import { emitOrElse, emitPath, emitRoot, plainRead } from './path-code.ts';

/** A larger program stays with closures: the host's compiler would not optimise it anyway. */
export const MOST_SOURCE = 64 * 1024;

/** An operand in the code: an expression without effects. `bool`: certainly true or false, no error. */
export interface Operand {
  readonly text: string;
  readonly bool: boolean;
}

const OPERATOR_SIGN = { less: '<', lessOrEqual: '<=', greater: '>', greaterOrEqual: '>=' } as const;
const ARITHMETIC_SIGN = { add: '+', subtract: '-' } as const;

/**
 * The generated-code back end: one JavaScript function per program, with one inline cache per field read. What it does not
 * write itself it calls: the closures of that part, or the run functions both back ends share, so that values, errors and
 * costs are the same by construction. Undefined when the program is too large.
 */
export function generateRun({ root, roots }: ProgramPlan, options: ClosureOptions): Run | undefined {
  const generator = new Generator(options);
  for (const { name, slot } of roots) emitRoot(generator, name, slot);
  const { text } = generator.emit(root);
  const { body, constants } = generator.out.finish(text);
  if (body.length > MOST_SOURCE) return undefined;
  return (new Function('K', body) as (constants: readonly unknown[]) => Run)(constants);
}

/** Apart from the generator, which a program must not keep. */
function lateClosures(plan: Plan, options: ClosureOptions): Step {
  let step: Step | undefined;
  return (frame) => {
    step ??= compileClosures(plan, options);
    return step(frame);
  };
}

/** The error of what is no bool; apart from the generator, as `lateClosures`. */
function refusalOf(what: string, at: Plan): (value: CelResult) => CelError {
  return (value) => notBool(what, value, at);
}

export class Generator {
  readonly out = new Emitter();
  readonly options: ClosureOptions;
  /** Names of what has been read, by place; the innermost stretch of code last. */
  private readonly scopes: Map<string, string>[] = [new Map()];

  constructor(options: ClosureOptions) {
    this.options = { initialisers: new Map(), ...options };
  }

  /** The closures of a part, as the name of a constant; compiled when they are first needed, which for most is never. */
  closures(plan: Plan): string {
    return this.out.rareConstant(lateClosures(plan, this.options));
  }

  /** Writes a stretch of code that may not run: what is read in it is not known behind it. */
  inScope<T>(write: () => T): T {
    this.scopes.push(new Map());
    const result = write();
    this.scopes.pop();
    return result;
  }

  /** The name of a value that cannot change in this stretch of code, read by `expression` when it has not been yet. */
  readOnce(place: string, expression: () => string): string {
    for (const scope of this.scopes) {
      const known = scope.get(place);
      if (known !== undefined) return known;
    }
    const text = expression();
    const name = this.out.temporary();
    this.out.line(`const ${name}=${text};`);
    this.know(place, name);
    return name;
  }

  /** Tells the name of what stands at a place in this stretch of code. */
  know(place: string, name: string): void {
    this.scopes[this.scopes.length - 1]!.set(place, name);
  }

  get celError(): string {
    return this.out.constant(CelError);
  }

  /** A part left to its closures, run as a whole. */
  delegated(plan: Plan): Operand {
    const result = this.out.temporary();
    this.out.line(`let ${result};`);
    this.out.callInto(result, `${this.closures(plan)}(f)`);
    return { text: result, bool: false };
  }

  emit(plan: Plan): Operand {
    switch (plan.kind) {
      case 'constant':
        return this.constant(plan);
      case 'variable':
      case 'lazy':
        return this.slotRead(plan);
      case 'path':
        return emitPath(this, plan);
      case 'and':
      case 'or':
        return this.logic(plan);
      case 'conditional':
        return this.conditional(plan);
      case 'not':
        return this.not(plan);
      case 'arithmetic':
        return this.arithmetic(plan);
      case 'equality':
        return this.equality(plan);
      case 'order':
        return this.order(plan);
      case 'membership':
        return this.membership(plan);
      case 'call':
        return this.call(plan);
      case 'orElse':
        return emitOrElse(this, plan);
      case 'fold':
        return emitFold(this, plan);
      case 'bind':
        for (const slot of plan.slots) this.out.line(`s[${slot}]=undefined;`);
        return this.emit(plan.body);
      case 'list':
      case 'map':
      case 'optionalMap':
      case 'optionalValue':
      case 'failure':
        return this.delegated(plan);
    }
  }

  private constant(plan: ConstantPlan): Operand {
    this.out.charge(plan.cost);
    const { value } = plan;
    if (typeof value === 'boolean') return { text: String(value), bool: true };
    const plain =
      value === null || typeof value === 'string' || (typeof value === 'number' && Number.isSafeInteger(value));
    // In brackets: `a-(-3)`, where `a--3` is a syntax error.
    return { text: plain ? `(${JSON.stringify(value)})` : this.out.constant(value), bool: false };
  }

  /** A variable in a slot; its closures say what an empty one means: unbound, or an initialiser that has yet to run. */
  private slotRead(plan: VariablePlan | LazyPlan): Operand {
    const result = this.out.temporary();
    this.out.line(`let ${result}=s[${plan.slot}];if(${result}===undefined){`);
    this.out.callInto(result, `${this.closures(plan)}(f)`);
    this.out.line('}else{');
    this.out.charge(1);
    this.out.line('}');
    return { text: result, bool: false };
  }

  private logic(plan: LogicPlan): Operand {
    return this.inScope(() => this.operands(plan));
  }

  private operands(plan: LogicPlan): Operand {
    const decisive = plan.kind === 'or';
    const sign = decisive ? '||' : '&&';
    const result = this.out.temporary();
    const failure = this.out.temporary();
    const label = `L${result}`;
    this.out.line(`let ${result},${failure};${label}:{`);
    for (const each of plan.operands) {
      const operand = this.emit(each);
      const decided = `if(${operand.text}===${decisive}){${result}=${decisive};break ${label};}`;
      if (operand.bool) {
        this.out.line(decided);
        continue;
      }
      const settle = this.out.rareConstant(refusalOf(sign, each));
      this.out.line(`if(${operand.text}!==${!decisive}){${decided}${failure}??=${settle}(${operand.text});}`);
    }
    this.out.line(`${result}=${failure}===undefined?${!decisive}:${failure};}`);
    return { text: result, bool: plan.operands.every((each) => isBoolPlan(each)) };
  }

  private conditional(plan: ConditionalPlan): Operand {
    const condition = this.emit(plan.condition);
    const result = this.out.temporary();
    this.out.line(`let ${result};if(${condition.text}===true){`);
    const yes = this.inScope(() => {
      const branch = this.emit(plan.yes);
      this.out.line(`${result}=${branch.text};}else if(${condition.text}===false){`);
      return branch;
    });
    const refuse = this.out.rareConstant(refusalOf('?:', plan.condition));
    const no = this.inScope(() => {
      const branch = this.emit(plan.no);
      this.out.line(`${result}=${branch.text};}else ${result}=${refuse}(${condition.text});`);
      return branch;
    });
    return { text: result, bool: condition.bool && yes.bool && no.bool };
  }

  private not(plan: NotPlan): Operand {
    const operand = this.emit(plan.operand);
    this.out.charge(1);
    if (operand.bool) return { text: `!${operand.text}`, bool: true };
    const result = this.out.temporary();
    const refuse = this.out.rareConstant(refusalOf('!', plan.operand));
    this.out.line(
      `const ${result}=${operand.text}===true?false:${operand.text}===false?true:${refuse}(${operand.text});`,
    );
    return { text: result, bool: false };
  }

  private arithmetic(plan: ArithmeticPlan): Operand {
    const a = this.emit(plan.left).text;
    const b = this.emit(plan.right).text;
    const result = this.out.temporary();
    const run = this.out.rareConstant(arithmeticRun(plan));
    if (plan.cost !== undefined || (plan.operation !== 'add' && plan.operation !== 'subtract')) {
      this.out.line(`let ${result};`);
      this.out.callInto(result, `${run}(f,${a},${b})`);
      return { text: result, bool: false };
    }
    const safe = (text: string): string => `Number.isSafeInteger(${text})`;
    this.out.line(
      `let ${result};if(${safe(a)}&&${safe(b)}&&${safe(`${result}=${a}${ARITHMETIC_SIGN[plan.operation]}${b}`)}){`,
    );
    this.out.charge(1);
    this.out.line('}else{');
    this.out.callInto(result, `${run}(f,${a},${b})`);
    this.out.line('}');
    return { text: result, bool: false };
  }

  private equality(plan: EqualityPlan): Operand {
    const { left, right } = plan;
    if (right.kind === 'constant' && right.literal && isPlainConstant(right.value))
      return this.constantEquality(plan, left, right.value);
    if (left.kind === 'constant' && left.literal && isPlainConstant(left.value))
      return this.constantEquality(plan, right, left.value);
    const a = this.emit(left).text;
    const b = this.emit(right).text;
    const result = this.out.temporary();
    this.out.line(`let ${result};if(typeof ${a}==='number'&&typeof ${b}==='number'){`);
    this.out.charge(1);
    this.out.line(`${result}=${a}${plan.negated ? '!==' : '==='}${b};}else{`);
    this.out.callInto(result, `${this.out.rareConstant(equalityRun(plan))}(f,${a},${b})`);
    this.out.line('}');
    return { text: result, bool: false };
  }

  private constantEquality(plan: EqualityPlan, operand: Plan, constant: string | number | boolean | null): Operand {
    const literal = JSON.stringify(constant);
    const direct = operand.kind === 'path' ? plainRead(this, operand) : undefined;
    if (direct === undefined) return this.generalConstantEquality(plan, operand, constant);
    const { value: read, cost } = direct;
    const result = this.out.temporary();
    // Of the constant's type: the value stands for itself.
    this.out.line(`let ${result};if(${isOfType(constant, read)}){`);
    this.out.charge(cost + 1);
    this.out.line(`${result}=${read}${plan.negated ? '!==' : '==='}${literal};}else{`);
    this.inScope(() => {
      const general = this.generalConstantEquality(plan, operand, constant);
      this.out.line(`${result}=${general.text};}`);
    });
    return { text: result, bool: false };
  }

  private generalConstantEquality(
    plan: EqualityPlan,
    operand: Plan,
    constant: string | number | boolean | null,
  ): Operand {
    const value = this.emit(operand);
    const result = this.out.temporary();
    const literal = JSON.stringify(constant);
    const test = `${value.text}${plan.negated ? '!==' : '==='}${literal}`;
    if (value.bool) {
      this.out.charge(1);
      return { text: `(${test})`, bool: true };
    }
    this.out.line(`let ${result};if(${value.text}===''||(typeof ${value.text}==='object'&&${value.text}!==null)){`);
    this.out.callInto(result, `${this.out.rareConstant(equalityRun(plan))}(f,${value.text},${literal})`);
    this.out.line('}else{');
    this.out.charge(1);
    this.out.line(`${result}=${test};}`);
    return { text: result, bool: false };
  }

  private order(plan: OrderPlan): Operand {
    const a = this.emit(plan.left).text;
    const b = this.emit(plan.right).text;
    const result = this.out.temporary();
    this.out.line(`let ${result};`);
    if (plan.crossType) {
      // `x===x` is false for NaN alone.
      this.out.line(`if(typeof ${a}==='number'&&typeof ${b}==='number'&&${a}===${a}&&${b}===${b}){`);
      this.out.charge(1);
      this.out.line(`${result}=${a}${OPERATOR_SIGN[plan.operation]}${b};}else{`);
    }
    this.out.callInto(result, `${this.out.rareConstant(orderRun(plan))}(f,${a},${b})`);
    if (plan.crossType) this.out.line('}');
    return { text: result, bool: false };
  }

  private membership(plan: MembershipPlan): Operand {
    const item = this.emit(plan.item).text;
    const keys = membershipKeys(plan);
    const result = this.out.temporary();
    if (keys) {
      const look = this.out.constant((value: CelResult): CelResult => {
        if (value instanceof CelError) return value;
        const key = mapKey(value);
        return key !== undefined && keys.has(key);
      });
      this.out.line(
        `const ${result}=typeof ${item}==='string'?${this.out.constant(keys)}.has(${item}):${look}(${item});`,
      );
      return { text: result, bool: false };
    }
    const container = this.emit(plan.container).text;
    this.out.line(`let ${result};`);
    this.out.callInto(result, `${this.out.constant(membershipRun(plan))}(f,${item},${container})`);
    return { text: result, bool: false };
  }

  private call(plan: CallPlan): Operand {
    if (plan.stopsAtError || plan.args.length === 0) return this.delegated(plan);
    const args = plan.args.map((arg) => this.emit(arg).text);
    const run = args.length === 1 ? unaryCallRun(plan) : binaryCallRun(plan);
    const result = this.out.temporary();
    this.out.line(`let ${result};`);
    this.out.callInto(result, `${this.out.constant(run)}(f,${args.join(',')})`);
    return { text: result, bool: false };
  }
}

/** The test that a value of the data has the type of a constant and is what it is there; an empty text costs less than others. */
function isOfType(constant: string | number | boolean | null, value: string): string {
  if (typeof constant === 'string') return `typeof ${value}==='string'&&${value}!==''`;
  if (typeof constant === 'number') return `Number.isSafeInteger(${value})`;
  return constant === null ? `${value}===null` : `typeof ${value}==='boolean'`;
}

/** Whether a part certainly gives a bool and no error, so that what is built on it does too. */
function isBoolPlan(plan: Plan): boolean {
  return plan.kind === 'constant' && typeof plan.value === 'boolean';
}
