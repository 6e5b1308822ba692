import { Command, CommanderError } from 'commander';
import { ConvoyError, harmless } from '../core/errors/index.ts';
import type { CommandContext } from './command-context.ts';
import { COMMANDS } from './commands/index.ts';
import { EXIT } from './exit-code.ts';
import type { CliIo } from './io.ts';
import type { PrepareJudge } from './judge.ts';
import type { ConnectCluster } from './live/connection.ts';
import type { RunOperator } from './operator.ts';
import type { RunSandbox } from './sandbox.ts';

/** `-o=json`, as kubectl takes it: the library would read the `=` as a part of the value. */
function splitShortFlags(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  return args.flatMap((word, place) => {
    const [, flag, value] = (end < 0 || place < end ? /^(-[a-zA-Z])=(.*)$/s.exec(word) : null) ?? [];
    return flag === undefined || value === undefined ? [word] : [flag, value];
  });
}

/** The commands that a command line leads to, as far as there are such: that of `rules`, that of `rules lint`. */
function commandsOn(program: Command, [name, ...rest]: readonly string[]): readonly Command[] {
  const command = program.commands.find((one) => one.name() === name);
  return command === undefined ? [] : [command, ...commandsOn(command, rest)];
}

/** `help rules lint` as `rules lint --help`: the library's own looks at one word only. A word that is no command stays one. */
function helpAsFlag(program: Command, args: readonly string[]): readonly string[] {
  const place = args.indexOf('help');
  const before = args.slice(0, place);
  const group = before.reduce<Command | undefined>(
    (command, word) => command?.commands.find((one) => one.name() === word),
    program,
  );
  const [name = '-', ...more] = args.slice(place + 1);
  if (place < 0 || group === undefined || group.commands.length === 0 || name.startsWith('-')) return args;
  const words = [...before, name, ...more.filter((word) => !word.startsWith('-'))];
  return commandsOn(program, words).length < words.length ? words : [...words, '--help'];
}

/** What to do without a flag that kubectl has, in whatever command. */
const KUBECTL_HABITS: Readonly<Record<string, string>> = {
  '-R': 'folders are read to any depth without it',
  '--recursive': 'folders are read to any depth without it',
};

/** What the library says of a wrong command line, as one line in convoy's words. */
function usageError({ code, message }: CommanderError, commands: readonly Command[]): ConvoyError {
  const path = commands.map((one) => one.name());
  const text = message.replace(/^error: /, '');
  const [, name = ''] = /'([^']*)'/.exec(text) ?? [];
  const [, meant] = /\(Did you mean (?:one of )?([^)]*?)\??\)/.exec(text) ?? [];
  const command = path.join(' ');
  const help = `see \`convoy ${[...path, '--help'].join(' ')}\``;
  const hint = meant === undefined ? help : `did you mean ${meant}?`;
  switch (code) {
    case 'commander.unknownOption':
      return new ConvoyError('UnknownFlag', { name, hint: KUBECTL_HABITS[name] ?? hint });
    case 'commander.missingMandatoryOptionValue':
      return new ConvoyError('FileMissing', { command });
    case 'commander.unknownCommand':
      return new ConvoyError('UnknownCommand', { name, hint });
    case 'commander.optionMissingArgument':
      return new ConvoyError('FlagValueMissing', { name: name.replace(/ <.*/, ''), command });
    case 'commander.missingArgument':
      return new ConvoyError('ArgumentMissing', { name, hint });
    case 'commander.excessArguments': {
      const { args, registeredArguments } = commands.at(-1) ?? { args: [], registeredArguments: [] };
      const names = args.slice(registeredArguments.length).join(' ');
      return new ConvoyError('TooManyArguments', { names, hint });
    }
    default:
      return new ConvoyError('UsageInvalid', { reason: text.split('\n')[0] ?? text, hint });
  }
}

function buildProgram(context: CommandContext, written: string[], talked: string[]): Command {
  const program = new Command('convoy')
    .description('Tells whether what was deployed on Kubernetes works, and if not, why.')
    .version(`convoy ${context.io.version}`, '--version', 'print the version')
    .helpOption('-h, --help', 'help for a command')
    .helpCommand('help [command]', 'help about a command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => written.push(text),
      writeErr: (text) => talked.push(text),
      outputError: () => {},
      getOutHelpWidth: () => 112,
      getErrHelpWidth: () => 112,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  for (const add of COMMANDS) add(program, context);
  for (const command of program.commands) command.helpOption('-h, --help', 'this help');
  return program;
}

/** Runs one command line. Returns its exit code; a ConvoyError has been told, any other exception is thrown on. */
export async function runCli(
  world: CliIo,
  prepareJudge: PrepareJudge,
  runSandbox: RunSandbox,
  connectCluster: ConnectCluster,
  runOperator: RunOperator,
): Promise<number> {
  // Errors quote names of files and lines of rules.
  const io: CliIo = { ...world, err: (text) => world.err(harmless(text)) };
  let exitCode: number = EXIT.healthy;
  const written: string[] = [];
  const talked: string[] = [];
  const exit = (code: number): void => {
    exitCode = code;
  };
  const program = buildProgram({ io, prepareJudge, runSandbox, connectCluster, runOperator, exit }, written, talked);
  const [first, ...rest] = io.args;
  if (first === '__complete' || first === '__completeNoDesc') {
    const { complete } = await import('./completion/complete.ts');
    const names = async (flags: ReadonlyMap<string, string>): Promise<readonly string[]> =>
      (await import('./completion/release-names.ts')).releaseNames(flags, connectCluster);
    await io.out(await complete(program, rest, first === '__complete', names));
    return EXIT.healthy;
  }
  const args = helpAsFlag(program, splitShortFlags(io.args));
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    const told = error instanceof CommanderError ? asConvoyError(error, program, args) : error;
    if (told instanceof ConvoyError) {
      await io.err(`convoy: ${told.message}\n`);
      return told.kind.exitCode;
    }
    if (!(error instanceof CommanderError)) throw error;
    // Help that was asked for is a result; help for want of a command is talk about a wrong command line.
    exitCode = error.exitCode === 0 ? EXIT.healthy : EXIT.unreadable;
  }
  if (talked.length > 0) await io.err(talked.join(''));
  if (written.length > 0) await io.out(written.join(''));
  return exitCode;
}

/** Undefined for the exceptions by which the library ends after printing help or the version. */
function asConvoyError(error: CommanderError, program: Command, args: readonly string[]): ConvoyError | undefined {
  const printed = ['commander.help', 'commander.helpDisplayed', 'commander.version'];
  return printed.includes(error.code) ? undefined : usageError(error, commandsOn(program, args));
}
