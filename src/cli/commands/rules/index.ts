import type { Command } from 'commander';
import { type AddCommand, type CommandContext, collect } from '../../command-context.ts';
import type { EvalFlags } from './run-eval.ts';
import type { ExplainFlags } from './run-explain.ts';
import type { LintFlags } from './run-lint.ts';
import type { ListFlags } from './run-list.ts';
import type { TestFlags } from './run-test.ts';

const RULES_HELP = 'rule set, rule ConfigMap or rule folder to add; may be repeated';
const NOW_HELP = 'judge at this time, RFC 3339 (default: the clock)';

/** `convoy rules`: see, write, test and explain health rules. */
export const addRulesCommand: AddCommand = (program, context) => {
  const rules = program
    .command('rules')
    .summary('see, write, test and explain health rules')
    .description('See, write, test and explain health rules.');
  for (const add of [addList, addShow, addLint, addTest, addEval, addExplain]) add(rules, context);
  for (const command of rules.commands) command.helpOption('-h, --help', 'this help');
};

function addList(rules: Command, context: CommandContext): void {
  rules
    .command('list')
    .summary('the rules there are')
    .description('Lists the rules there are, of one kind or of all.')
    .argument('[kind]', 'kind, plural or short name, also with its group: deploy, Deployment, deployments.apps')
    .option('-o, --output <format>', 'table, json, yaml or name', 'table')
    .option('--rules <path>', RULES_HELP, collect)
    .action(async (kind: string | undefined, flags: ListFlags) => {
      const { runList } = await import('./run-list.ts');
      context.exit(await runList(kind, flags, context.io));
    });
}

function addShow(rules: Command, context: CommandContext): void {
  rules
    .command('show')
    .summary('the rules of a kind as YAML')
    .description('Prints the rules of a kind as a rule set in YAML, to read or to start a rule of your own from.')
    .argument('<kind>', 'kind, plural or short name, also with its group; "*" for the rules of kinds without their own')
    .option('--rules <path>', RULES_HELP, collect)
    .action(async (kind: string, flags: { rules?: readonly string[] }) => {
      const { runShow } = await import('./run-show.ts');
      context.exit(await runShow(kind, flags, context.io));
    });
}

function addLint(rules: Command, context: CommandContext): void {
  rules
    .command('lint')
    .summary('find what would fail in the field')
    .description(
      'Finds what would fail in the field: expressions that do not compile, fields that may be absent,\n' +
        'misspelt fields, results of the wrong type, costs above the limit, names that nothing uses.\n\n' +
        '  convoy rules lint rules/\n' +
        '  convoy rules lint database.yaml --schema database-crd.yaml',
    )
    .argument('<path...>', 'rule set, rule ConfigMap, rule.yaml or a folder with them')
    .option('--schema <file>', 'kinds to check fields against: CRD, OpenAPI or JSON schema; may be repeated', collect)
    .option('-o, --output <format>', 'text or json', 'text')
    .addHelpText('after', '\nExit codes: 0 clean or warnings only, 1 errors found, 2 wrong usage or unreadable input.')
    .action(async (paths: readonly string[], flags: LintFlags) => {
      const { runLint } = await import('./run-lint.ts');
      context.exit(await runLint(paths, flags, context.io));
    });
}

function addTest(rules: Command, context: CommandContext): void {
  rules
    .command('test')
    .summary('run the cases of rule folders')
    .description(
      'Runs the cases of each rule.test.yaml below the paths: each object is judged by the rule of its\n' +
        'folder alone.\n\n' +
        '  convoy rules test rules/example.com/Database',
    )
    .argument('<path...>', 'rule folder, or a folder with rule folders')
    .option('--rules <path>', RULES_HELP, collect)
    .option('--now <time>', 'time of the cases that name none, RFC 3339 (default: the clock)')
    .option('-o, --output <format>', 'text, json or junit', 'text')
    .addHelpText('after', '\nExit codes: 0 all passed, 1 a case failed, 2 wrong usage or unreadable input.')
    .action(async (paths: readonly string[], flags: TestFlags) => {
      const { runTest } = await import('./run-test.ts');
      context.exit(await runTest(paths, flags, context.io));
    });
}

function addEval(rules: Command, context: CommandContext): void {
  rules
    .command('eval')
    .summary('evaluate an expression on an object')
    .description(
      'Evaluates a CEL expression with what a rule sees of an object: object (self, obj), apiVersion, kind,\n' +
        'metadata, spec, status, data, conditions, now, params.\n\n' +
        "  kubectl get deploy web -o yaml | convoy rules eval -f - 'status.?readyReplicas.orValue(0)'",
    )
    .argument('<expression>', 'CEL')
    .argument('[object]', 'KIND/NAME, where the input holds several objects')
    .option('-f, --filename <path>', 'file with the object, or - for stdin (default: an empty object)')
    .option('--now <time>', 'the value of now, RFC 3339 (default: the clock)')
    .option('--cost-limit <units>', 'units of cost that the evaluation may use (default: 1000000, as for a rule)')
    .option('--explain', 'write the values of the sub-expressions under them')
    .option('-o, --output <format>', 'text (the value) or json (with type and cost)', 'text')
    .addHelpText(
      'after',
      '\nExit codes: 0 a value, 1 an error value, 2 does not compile, wrong usage or unreadable input.',
    )
    .action(async (expression: string, name: string | undefined, flags: EvalFlags) => {
      const { runEval } = await import('./run-eval.ts');
      context.exit(await runEval(expression, name, flags, context.io));
    });
}

function addExplain(rules: Command, context: CommandContext): void {
  rules
    .command('explain')
    .summary('which sub-expression decided, and the values it saw')
    .description(
      'Explains the verdict on each object that is not healthy, or on the one that is named: which\n' +
        'sub-expression decided, and the values it saw.\n\n' +
        '  convoy rules explain -f cluster-dump.yaml deploy/web',
    )
    .argument('[object]', 'KIND/NAME')
    .requiredOption('-f, --filename <path>', 'file, folder or - for stdin; may be repeated', collect)
    .option('-n, --namespace <name>', 'only objects of this namespace')
    .option('--rule <name>', 'only this rule: NAME or SET#NAME')
    .option('--rules <path>', RULES_HELP, collect)
    .option('--now <time>', NOW_HELP)
    .option('--deadline <duration>', 'the deadline that `convoy health` was given')
    .option('-o, --output <format>', 'text or json (the tree of steps)', 'text')
    .addHelpText('after', '\nExit codes: 0 explained, whatever the health is, 2 wrong usage or unreadable input.')
    .action(async (name: string | undefined, flags: ExplainFlags) => {
      const { runExplain } = await import('./run-explain.ts');
      context.exit(await runExplain(name, flags, context.io));
    });
}
