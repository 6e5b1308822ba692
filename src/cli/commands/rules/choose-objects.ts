import { ConvoyError } from '../../../core/errors/index.ts';
import { refOf } from '../../../core/object/fields.ts';
import type { KubernetesObject } from '../../../core/object/kubernetes-object.ts';
import { closestName } from '../../options/closest-name.ts';
import { isKindNamed } from './known-kinds.ts';

/** Names shown of an input in which the one that was asked for is not. */
const MOST_NAMED = 3;

/** `Deployment/web`, as it is typed to choose the object. */
export function nameOf(object: KubernetesObject): string {
  const { kind, name } = refOf(object);
  return name === '' ? kind : `${kind}/${name}`;
}

/** `Deployment shop/web`, as it is told in a sentence. */
export function titleOf(object: KubernetesObject): string {
  const { kind, namespace, name } = refOf(object);
  return [kind, namespace === '' ? name : `${namespace}/${name}`].filter((part) => part !== '').join(' ');
}

/** Whether an object is the one that `KIND/NAME` names; the kind as kubectl takes it: deploy, deployments.apps, Deployment. */
function isNamed(object: KubernetesObject, word: string): boolean {
  const slash = word.lastIndexOf('/');
  const { kind, group, name } = refOf(object);
  return slash >= 0 && name === word.slice(slash + 1) && isKindNamed(word.slice(0, slash), kind, group);
}

/** The objects that a word names. Throws ObjectNotInInput, with those that were probably meant. */
export function objectsNamed(objects: readonly KubernetesObject[], word: string): readonly KubernetesObject[] {
  const found = objects.filter((object) => isNamed(object, word));
  if (found.length > 0) return found;
  const names = [...new Set(objects.map(nameOf))];
  const meant = closestName(word, names);
  const shown = names.slice(0, MOST_NAMED).join(', ');
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  const holds = names.length === 0 ? 'it holds no object' : `it holds ${shown}${more}`;
  const hint = word.includes('/') ? holds : `write it as KIND/NAME: ${holds}`;
  throw new ConvoyError('ObjectNotInInput', {
    name: word,
    hint: meant === undefined ? hint : `did you mean ${meant}?`,
  });
}

/** The only object, or the one that is named. Throws UsageInvalid when there are several, ObjectNotInInput when none is. */
export function theObject(objects: readonly KubernetesObject[], word: string | undefined): KubernetesObject {
  const [first, second] = word === undefined ? objects : objectsNamed(objects, word);
  if (first === undefined)
    throw new ConvoyError('ObjectNotInInput', { name: 'object', hint: 'it holds an empty list' });
  if (second === undefined) return first;
  const example = `${nameOf(first)} or ${nameOf(second)}`;
  throw new ConvoyError(
    'UsageInvalid',
    word === undefined
      ? {
          reason: `the input holds ${objects.length} objects`,
          hint: `name one of them behind the expression, like ${example}`,
        }
      : { reason: `the input holds several objects named ${word}`, hint: 'pass the one that is meant alone' },
  );
}
