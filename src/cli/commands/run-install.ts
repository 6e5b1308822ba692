import { catalogue } from '../../catalogue/index.ts';
import { ruleSetObjects } from '../../catalogue/rule-set-objects.ts';
import { definitionOf, OWN_KINDS } from '../../core/api/index.ts';
import { ConvoyError } from '../../core/errors/index.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import { accessObjects } from '../install/access.ts';
import type { InstallOptions } from '../install/options.ts';
import { workloadObjects } from '../install/workload.ts';
import type { CliIo } from '../io.ts';
import { chooseOutput } from '../options/choose-output.ts';
import { printYaml } from '../printers/yaml.ts';
import { controllersOf, nameOf, wholeNumber } from './run-operator.ts';

/** The flags of `convoy install` as they are typed. */
export interface InstallFlags {
  readonly namespace: string;
  readonly image?: string;
  readonly replicas: string;
  readonly controllers: string;
  readonly aggregatedApi: boolean;
  readonly clusterAdmin?: boolean;
  readonly defaultServiceAccount?: string;
  readonly only?: string;
  readonly output: string;
}

/** Parts that can be had alone. */
const PARTS = ['crds', 'rules', 'rbac', 'operator'] as const;
const MOST_REPLICAS = 16;

function compile(flags: InstallFlags, version: string): InstallOptions {
  const { image = `ghcr.io/convoy/convoy:${version}`, aggregatedApi, clusterAdmin = false } = flags;
  if (image === '' || /\s/.test(image)) {
    throw new ConvoyError('UsageInvalid', {
      reason: `--image "${image}" is no image`,
      hint: 'write registry/name:tag',
    });
  }
  return {
    namespace: nameOf('--namespace', flags.namespace) ?? '',
    image,
    replicas: wholeNumber('--replicas', flags.replicas, MOST_REPLICAS),
    controllers: controllersOf(flags.controllers),
    aggregatedApi,
    clusterAdmin,
    defaultServiceAccount: nameOf('--default-service-account', flags.defaultServiceAccount),
  };
}

/** What has to be in a cluster, in an order in which it can be applied. */
export function installObjects(options: InstallOptions): Readonly<Record<(typeof PARTS)[number], KubernetesObject[]>> {
  const labels = { 'app.kubernetes.io/name': 'convoy' };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: options.namespace, labels } };
  return {
    crds: OWN_KINDS.map((own) => ({ ...definitionOf(own) })),
    rules: [...ruleSetObjects(catalogue())],
    rbac: [namespace, ...accessObjects(options)],
    operator: [...workloadObjects(options)],
  };
}

/** Prints what has to be in a cluster. Throws a ConvoyError for wrong flags. */
export async function runInstall(flags: InstallFlags, io: CliIo): Promise<void> {
  const format = chooseOutput(flags.output, ['yaml', 'json']);
  const parts = flags.only === undefined ? PARTS : [chosenPart(flags.only)];
  const all = installObjects(compile(flags, io.version));
  const objects = parts.flatMap((part) => all[part]);
  if (format === 'json') {
    const list = { apiVersion: 'v1', kind: 'List', metadata: {}, items: objects };
    await io.out(`${JSON.stringify(list, null, 2)}\n`);
  } else {
    await io.out(objects.map((object) => `---\n${printYaml(object)}`).join(''));
  }
}

function chosenPart(text: string): (typeof PARTS)[number] {
  const part = PARTS.find((one) => one === text);
  if (part !== undefined) return part;
  throw new ConvoyError('UsageInvalid', { reason: `--only "${text}" is no part`, hint: `use ${PARTS.join(', ')}` });
}
