import { ConvoyError } from '../../../core/errors/index.ts';
import { type ExpressionResult, evaluateExpression } from '../../../core/health/evaluate-expression.ts';
import { EXIT } from '../../exit-code.ts';
import type { CliIo } from '../../io.ts';
import { chooseOutput } from '../../options/choose-output.ts';
import { parseTime } from '../../options/time.ts';
import { explainedExpression } from '../../printers/explained-expression.ts';
import { printJsonValue } from '../../printers/json-value.ts';
import { readObjects } from '../../read-inputs.ts';
import { mayColour, refuse } from '../../talk.ts';
import { theObject } from './choose-objects.ts';

/** The flags of `rules eval` as they are typed. */
export interface EvalFlags {
  /** Without it the expression is evaluated on an empty object. */
  readonly filename?: string;
  readonly now?: string;
  readonly costLimit?: string;
  readonly explain?: boolean;
  readonly output: string;
}

const NOTHING = { objects: [], problems: [] } as const;

/** Reads `--cost-limit`. Throws UsageInvalid. */
function costLimitOf(value: string): number {
  if (/^[1-9]\d{0,14}$/.test(value)) return Number(value);
  throw new ConvoyError('UsageInvalid', {
    reason: `--cost-limit "${value}" is not a whole number above zero`,
    hint: 'write it like 1000000',
  });
}

/** Evaluates an expression on an object and prints the value. Returns the exit code; throws a ConvoyError for wrong flags. */
export async function runEval(
  expression: string,
  name: string | undefined,
  flags: EvalFlags,
  io: CliIo,
): Promise<number> {
  const format = chooseOutput(flags.output, ['text', 'json']);
  const options = {
    now: flags.now === undefined ? io.now() : parseTime('--now', flags.now),
    ...(flags.costLimit === undefined ? {} : { costLimit: costLimitOf(flags.costLimit) }),
  };
  const { objects, problems } = flags.filename === undefined ? NOTHING : await readObjects([flags.filename], io.files);
  if (problems.length > 0) return refuse(io, problems);
  const object =
    flags.filename === undefined
      ? {}
      : theObject(
          objects.map((one) => one.object),
          name,
        );
  const result = evaluateExpression(expression, object, options);
  if (result.outcome === 'refused') {
    await io.err(result.issues.map((issue) => `${issue}\n`).join(''));
    return EXIT.unreadable;
  }
  const explained = flags.explain === true;
  if (format === 'json') await io.out(`${printJsonValue(jsonOf(expression, result, explained))}\n`);
  else await printText(expression, result, explained, io);
  return result.outcome === 'value' ? EXIT.healthy : EXIT.notHealthy;
}

type Evaluated = Exclude<ExpressionResult, { outcome: 'refused' }>;

function jsonOf(expression: string, result: Evaluated, explained: boolean): object {
  return {
    expression,
    type: result.type,
    cost: result.cost,
    ...(result.outcome === 'value' ? { value: result.value } : { error: result.message }),
    ...(explained ? { because: result.because, steps: result.steps } : {}),
  };
}

async function printText(expression: string, result: Evaluated, explained: boolean, io: CliIo): Promise<void> {
  if (explained) await io.out(`${explainedExpression(expression, result.steps, mayColour(io)).join('\n')}\n\n`);
  if (result.outcome === 'error') await io.err(`${result.text}\n`);
  else await io.out(`${printJsonValue(result.value)}\n`);
}
