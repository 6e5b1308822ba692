import type { AddCommand } from '../command-context.ts';

/** `convoy version`: the version, for a person or with -o json|yaml for a machine. */
export const addVersionCommand: AddCommand = (program, context) => {
  program
    .command('version')
    .summary('print the version')
    .description('Prints the version.')
    .option('-o, --output <format>', 'json or yaml (default: one line)')
    .action(async ({ output }: { readonly output?: string }) => {
      const { printVersion } = await import('./print-version.ts');
      await context.io.out(await printVersion(context.io.version, output));
    });
};
