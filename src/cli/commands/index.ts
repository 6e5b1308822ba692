import type { AddCommand } from '../command-context.ts';
import { addCompletionCommand } from './completion.ts';
import { addDoctorCommand } from './doctor.ts';
import { addHealthCommand } from './health.ts';
import { addInstallCommand } from './install.ts';
import { addOperatorCommand } from './operator.ts';
import { addReleaseCommand } from './release/index.ts';
import { addRulesCommand } from './rules/index.ts';
import { addSandboxCommand } from './sandbox.ts';
import { addVersionCommand } from './version.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly AddCommand[] = [
  addHealthCommand,
  addRulesCommand,
  addReleaseCommand,
  addInstallCommand,
  addOperatorCommand,
  addDoctorCommand,
  addSandboxCommand,
  addCompletionCommand,
  addVersionCommand,
];
