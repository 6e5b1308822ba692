import { EVENT_ID, type Event, getScalarValue } from 'js-yaml';
import { startOf } from './event-start.ts';
import { risingLines } from './lines.ts';
import type { ItemLines } from './manifest.ts';

/**
 * Lines of the roots of the documents in `events`, and of the objects of the lists in them, at any depth of lists in lists.
 * Only the top of each object is looked at.
 */
export function yamlLines(text: string, events: readonly Event[], firstLine: number): ItemLines[] {
  const lineAt = risingLines(text, firstLine);
  let at = 0;

  const skip = (): void => {
    let depth = 0;
    do {
      const type = events[at]?.type;
      if (type === EVENT_ID.SEQUENCE || type === EVENT_ID.MAPPING) depth += 1;
      else if (type === EVENT_ID.POP) depth -= 1;
      at += 1;
    } while (depth > 0 && at < events.length);
  };
  const closed = (): boolean => at >= events.length || events[at]?.type === EVENT_ID.POP;

  const elements = (): ItemLines[] => {
    const lines: ItemLines[] = [];
    at += 1;
    while (!closed()) lines.push(node());
    at += 1;
    return lines;
  };

  const node = (): ItemLines => {
    const event = events[at];
    if (event === undefined) return { line: lineAt(text.length) };
    const line = lineAt(startOf(event));
    if (event.type !== EVENT_ID.MAPPING) {
      skip();
      return { line };
    }
    let items: ItemLines[] | undefined;
    at += 1;
    while (!closed()) {
      const key = events[at];
      skip();
      const isItems = key?.type === EVENT_ID.SCALAR && getScalarValue(text, key) === 'items';
      if (isItems && events[at]?.type === EVENT_ID.SEQUENCE) items = elements();
      else skip();
    }
    at += 1;
    return items === undefined ? { line } : { line, items };
  };

  const roots: ItemLines[] = [];
  while (at < events.length) {
    at += 1; // the document
    const root = events[at];
    const line = root === undefined ? firstLine : lineAt(startOf(root));
    if (root?.type === EVENT_ID.SEQUENCE) roots.push({ line, items: elements() });
    else if (root !== undefined && root.type !== EVENT_ID.POP) roots.push(node());
    else roots.push({ line });
    at += 1; // its end
  }
  return roots;
}
