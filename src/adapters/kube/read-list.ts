import { asMap, asString, isMap } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { ListPage } from '../../ports/cluster.ts';
import { brokenAnswer } from './failures.ts';
import { parseJson } from './json.ts';
import { itemSpans, itemsOf, type Span, withoutManagedFields } from './json-scan.ts';
import type { Answer, Transport } from './transport.ts';
import { Turn } from './turn.ts';

/**
 * Reads one page of a list, item by item, so that others get their turn between the items of a long one.
 *
 * @param bare leaves managed fields out, unread
 * @throws TransportError (`protocol`)
 */
export async function readList(answer: Answer, transport: Transport, bare = false): Promise<ListPage> {
  const { bytes } = answer;
  const place = itemsOf(bytes);
  const around = place && `${bytes.toString('utf8', 0, place.start)}null${bytes.toString('utf8', place.end)}`;
  const list = transport.reading(answer, () => parseJson(around ?? bytes.toString('utf8')));
  if (!isMap(list)) throw brokenAnswer(transport.config.description, 'JSON that is no object');
  if (list['items'] !== null) {
    const what = `${asString(list['kind']) || 'an object'} without items`;
    throw brokenAnswer(transport.config.description, what);
  }
  // Items of a list of a built-in kind carry neither apiVersion nor kind: the list carries both for them.
  const kind = asString(list['kind']).replace(/List$/, '');
  const { apiVersion } = list;
  const read = (span: Span): KubernetesObject => {
    // Where the item ends has been read already: its bytes may be used up.
    const text = bare ? withoutManagedFields(bytes, span) : bytes.toString('utf8', span.start, span.end);
    const object = asMap(parseJson(text));
    return object['kind'] === undefined ? { apiVersion, kind, ...object } : object;
  };
  const items: KubernetesObject[] = [];
  const turn = new Turn(transport.clock);
  const spans = place === undefined ? [] : transport.reading(answer, () => [...itemSpans(bytes, place)]);
  for (const span of spans) {
    items.push(transport.reading(answer, () => read(span)));
    if (turn.isOverAfter(span.end - span.start)) await turn.next();
  }
  const metadata = asMap(list['metadata']);
  return {
    items,
    resourceVersion: asString(metadata['resourceVersion']),
    continue: asString(metadata['continue']),
  };
}
