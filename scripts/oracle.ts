/**
 * Random expressions answered by this engine and by the reference (cel-go in the Kubernetes API server's environments),
 * compared in value, error or not, and cost. Without a Go toolchain the committed answers are compared.
 *
 *   npm run -s oracle -- [--count 20000] [--seed N] [--mode 1.36]… [--write-answers] [--rules]
 *
 * `--rules`: the expressions of the shipped rules over recorded objects as well, as plain cel-go with its extensions answers them.
 */
import { parseArgs } from 'node:util';
import { COMMITTED, readAnswers, writeAnswers } from '../test/oracle/committed-answers.ts';
import { type Answer, compareAnswers, compareValues, expressionsOf } from '../test/oracle/compare.ts';
import { askReference, askReferenceOf, buildReference } from '../test/oracle/reference.ts';
import { ruleLanguage, ruleQuestions } from '../test/oracle/rule-questions.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    mode: { type: 'string', multiple: true, default: [...COMMITTED.modes] },
    'write-answers': { type: 'boolean', default: false },
    rules: { type: 'boolean', default: false },
  },
});

let passed = 0;
let failed = 0;

function report(title: string, expressions: readonly string[], answers: readonly Answer[], mode: string): void {
  const { differences, listed } = compareAnswers(expressions, answers, mode);
  for (const each of differences.slice(0, 20)) console.log(each);
  console.log(
    `${mode}: ${expressions.length} expressions (${title}), ${differences.length} differ, listed: ${JSON.stringify(listed)}`,
  );
  if (differences.length > 0) failed += 1;
  else passed += 1;
}

const reference = buildReference();
for (const mode of values.mode) {
  if ('unavailable' in reference) {
    console.log(`${reference.unavailable}: the committed answers are compared`);
    report('committed answers', expressionsOf(COMMITTED.count, COMMITTED.seed), readAnswers(mode), mode);
    continue;
  }
  const fixed = expressionsOf(COMMITTED.count, COMMITTED.seed);
  const answers = askReference(reference.binary, fixed, mode);
  if (values['write-answers']) writeAnswers(mode, answers);
  const unchanged = JSON.stringify(answers) === JSON.stringify(readAnswers(mode));
  console.log(
    `${mode}: the committed answers are ${unchanged ? 'the reference’s' : 'not what the reference says now'}`,
  );
  // Their order of map keys is random: a difference alone is told, not failed.
  const expressions = expressionsOf(Number(values.count), Number(values.seed));
  report(`seed ${values.seed}`, expressions, askReference(reference.binary, expressions, mode), mode);
}
if (values.rules && 'binary' in reference) {
  for (const { path, questions } of ruleQuestions()) {
    if (questions.length === 0) continue;
    const { differences, listed } = compareValues(
      ruleLanguage,
      questions,
      askReferenceOf(reference.binary, questions, 'cel-go'),
    );
    for (const each of differences.slice(0, 5)) console.log(each);
    console.log(
      `${path}: ${questions.length} questions, ${differences.length} differ, listed: ${JSON.stringify(listed)}`,
    );
    if (differences.length > 0) failed += 1;
    else passed += 1;
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
