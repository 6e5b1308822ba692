import { asList, asMap, asString, field, isMap } from '../../object/fields.ts';
import type { KubernetesObject } from '../../object/kubernetes-object.ts';

/**
 * The rendered object with the live value in each of the paths (JSON pointers) that both have, and without those that only the render
 * has. They are somebody else's fields; to leave them out of an apply would remove them wherever we own them alone: a Deployment
 * would fall to one replica. Without a live object the render counts.
 */
export function withLiveValues(
  rendered: KubernetesObject,
  live: KubernetesObject | undefined,
  paths: readonly string[],
): KubernetesObject {
  if (live === undefined) return rendered;
  return paths.reduce<KubernetesObject>((object, path) => asMap(taken(object, live, partsOf(path))), rendered);
}

function partsOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function taken(rendered: unknown, live: unknown, path: readonly string[]): unknown {
  const [part, ...rest] = path;
  if (part === undefined) return live;
  if (Array.isArray(rendered)) {
    const index = Number(part);
    if (!(index in rendered)) return rendered;
    return rendered.map((item, at) =>
      at === index ? taken(item, counterpart(item, asList(live), index), rest) : item,
    );
  }
  if (!isMap(rendered) || !Object.hasOwn(rendered, part)) return rendered;
  const value = taken(rendered[part], field(live, part), rest);
  const { [part]: _, ...others } = rendered;
  return value === undefined ? others : { ...rendered, [part]: value };
}

/** Items with a name keep their place by it: an injected container may stand before ours. */
function counterpart(item: unknown, live: readonly unknown[], index: number): unknown {
  const name = asString(field(item, 'name'));
  return name === '' ? live[index] : live.find((one) => field(one, 'name') === name);
}

/** Whether an autoscaler (live or rendered) sets the replicas of the object. */
export function isScaledBy(autoscaler: KubernetesObject, object: KubernetesObject): boolean {
  const target = field(autoscaler['spec'], 'scaleTargetRef');
  const [own, other] = [asMap(autoscaler['metadata']), asMap(object['metadata'])];
  return (
    field(target, 'kind') === object['kind'] &&
    field(target, 'name') === other['name'] &&
    asString(own['namespace']) === asString(other['namespace']) &&
    groupOf(field(target, 'apiVersion')) === groupOf(object['apiVersion'])
  );
}

function groupOf(apiVersion: unknown): string {
  const text = asString(apiVersion);
  return text.includes('/') ? text.slice(0, text.indexOf('/')) : '';
}
