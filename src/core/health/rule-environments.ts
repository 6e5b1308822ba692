import { createEnvironment, type Environment } from '../../cel/index.ts';
import { RULE_VARIABLES } from './bindings.ts';
import type { RuleContract } from './rule.ts';

/** Making an environment costs milliseconds, so each is made once, on first use. */
const environments = new Map<RuleContract, Environment>();

/** The language of a rule's expressions: functions and root variables. */
export function ruleEnvironment(contract: RuleContract): Environment {
  let environment = environments.get(contract);
  if (environment === undefined) {
    environment =
      contract === 'k0rdent'
        ? // Authors of k0rdent rules test with cel-go and its newest strings extension over `obj` alone.
          createEnvironment({ version: 'cel-go', variables: { obj: 'dyn' } })
        : createEnvironment({ version: 'convoy', variables: { ...RULE_VARIABLES } });
    environments.set(contract, environment);
  }
  return environment;
}
