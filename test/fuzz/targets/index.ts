import type { FuzzTarget } from '../target.ts';
import { celPaths } from './cel-paths.ts';
import { celPrograms } from './cel-programs.ts';
import { celSource } from './cel-source.ts';
import { manifests } from './manifests.ts';
import { ruleFiles } from './rule-files.ts';

export const TARGETS: readonly FuzzTarget[] = [celSource, celPrograms, celPaths, manifests, ruleFiles];
