import type { AddCommand } from '../command-context.ts';

/** `convoy completion SHELL`: the script that a shell sources to complete convoy's words. */
export const addCompletionCommand: AddCommand = (program, context) => {
  program
    .command('completion')
    .summary('print the completion script of a shell')
    .description(
      'Prints the completion script of a shell.\n\n' +
        '  source <(convoy completion bash)\n' +
        '  source <(convoy completion zsh)\n' +
        '  convoy completion fish | source\n\n' +
        'kubectl completes `kubectl convoy` by itself when kubectl_complete-convoy is in the PATH.',
    )
    .argument('<shell>', 'bash, zsh or fish')
    .action(async (shell: string) => {
      const { completionScript } = await import('../completion/scripts.ts');
      await context.io.out(completionScript(shell));
    });
};
