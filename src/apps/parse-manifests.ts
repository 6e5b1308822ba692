import { formatProblem, readManifests } from '../manifests/index.ts';
import type { ParseManifests } from '../ports/source-tools.ts';

/** Reads objects to apply, as kubectl reads them. */
export const parseManifests: ParseManifests = async (name, content) => {
  const { objects, problems } = await readManifests({ name, content }, 'apply');
  return { objects, problems: problems.filter(({ code }) => code !== 'InputEmpty').map(formatProblem) };
};
