import { type ClosureOptions, compileClosures } from '../evaluate/closures.ts';
import { foldRun, mapElementCost, predicateError } from '../evaluate/folds.ts';
import type { Frame } from '../evaluate/frame.ts';
import type { FoldPlan } from '../plan/plan.ts';
import type { CelResult } from '../value/cel-value.ts';
import type { Generator, Operand } from './generator.ts';
import { emitEntry } from './path-code.ts';

/** A one-variable macro over an array as a plain loop; over anything else, and for the other macros, the closures' loop. */
export function emitFold(generator: Generator, plan: FoldPlan): Operand {
  const { out } = generator;
  const range = generator.emit(plan.range).text;
  const result = out.temporary();
  const run = out.rareConstant(lateFold(plan, generator.options));
  out.line(`let ${result};`);
  const loop = plan.indexSlot === undefined ? loopOf(generator, plan, result) : undefined;
  if (!loop) {
    out.callInto(result, `${run}(f,${range})`);
    return { text: result, bool: false };
  }
  out.line(`if(Array.isArray(${range})){`);
  generator.inScope(() => loop(range));
  out.line('}else{');
  out.callInto(result, `${run}(f,${range})`);
  out.line('}');
  return { text: result, bool: false };
}

/** The closures' loop, made when it is first needed; apart from the generator, which a program must not keep. */
function lateFold(plan: FoldPlan, options: ClosureOptions): (frame: Frame, over: CelResult) => CelResult {
  let run: ReturnType<typeof foldRun> | undefined;
  return (frame, over) => {
    run ??= foldRun(plan, (part) => compileClosures(part, options));
    return run(frame, over);
  };
}

type WriteLoop = (range: string) => void;

function loopOf(generator: Generator, plan: FoldPlan, result: string): WriteLoop | undefined {
  switch (plan.operation) {
    case 'exists':
      return (range) => searchLoop(generator, plan, result, range, true, { iteration: 4, early: 3 });
    case 'all':
      return (range) => searchLoop(generator, plan, result, range, false, { iteration: 3, early: 2 });
    case 'filter':
      return (range) => filterLoop(generator, plan, result, range);
    case 'map':
      return plan.filter === undefined ? (range) => mapLoop(generator, plan, result, range) : undefined;
    default:
      return undefined;
  }
}

/** The head of a loop: the limits as `Frame.iterate` tests them, then the element in its slot. */
function open(generator: Generator, plan: FoldPlan, range: string): { readonly index: string; readonly label: string } {
  const { out } = generator;
  const index = out.temporary();
  const label = `L${index}`;
  out.line(`${label}:for(let ${index}=0;${index}<${range}.length;${index}++){`);
  // As `Frame.iterate`, which is left the telling of what is wrong; the cost stays in the local counter.
  out.line('f.steps+=1;if(f.cost+c>f.costLimit||f.steps>f.stepLimit||f.shouldStop!==undefined){');
  out.line('f.cost+=c;c=0;f.steps-=1;f.iterate();}');
  emitEntry(generator, plan.slot, `${range}[${index}]`, '');
  return { index, label };
}

function refusalOf(plan: FoldPlan): (value: CelResult) => CelResult {
  return (value) => predicateError(value, plan);
}

function searchLoop(
  generator: Generator,
  plan: FoldPlan,
  result: string,
  range: string,
  decisive: boolean,
  cost: { readonly iteration: number; readonly early: number },
): void {
  const { out } = generator;
  const failure = out.temporary();
  out.line(`let ${failure};`);
  const { index, label } = open(generator, plan, range);
  const body = generator.emit(plan.body);
  out.charge(cost.iteration);
  out.line(
    `if(${body.text}===${decisive}){${result}=${decisive};if(${index}<${range}.length-1)c+=${cost.early};break ${label};}`,
  );
  if (!body.bool) {
    const settle = out.rareConstant(refusalOf(plan));
    out.line(`if(${body.text}!==${!decisive}&&${failure}===undefined)${failure}=${settle}(${body.text});`);
  }
  out.line(`}if(${result}===undefined)${result}=${failure}===undefined?${!decisive}:${failure};`);
  out.charge(1);
}

function filterLoop(generator: Generator, plan: FoldPlan, result: string, range: string): void {
  const { out } = generator;
  const kept = out.temporary();
  out.line(`const ${kept}=[];`);
  const { label } = open(generator, plan, range);
  const body = generator.emit(plan.body);
  const settle = out.rareConstant(refusalOf(plan));
  out.line(
    `if(${body.text}===true){${kept}.push(s[${plan.slot}]);c+=13;}else if(${body.text}!==false){${result}=${settle}(${body.text});break ${label};}`,
  );
  out.line(`}if(${result}===undefined){${result}=${kept};c+=1;}`);
}

function mapLoop(generator: Generator, plan: FoldPlan, result: string, range: string): void {
  const { out } = generator;
  const made = out.temporary();
  const { celError } = generator;
  out.line(`const ${made}=[];`);
  const { label } = open(generator, plan, range);
  const body = generator.emit(plan.body);
  out.line(`if(${body.text} instanceof ${celError}){${result}=${body.text};break ${label};}`);
  out.line(`${made}.push(${body.text});c+=${mapElementCost(plan.body)};`);
  out.line(`}if(${result}===undefined){${result}=${made};c+=1;}`);
}
