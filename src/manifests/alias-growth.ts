import { EVENT_ID, type Event } from 'js-yaml';

/** How many nodes a document has when every alias is written out, or the alias that stands inside its own anchor. */
export type AliasGrowth =
  | { readonly written: number; readonly expanded: number }
  | { readonly circle: string; readonly position: number };

interface OpenNode {
  readonly anchor: string | undefined;
  size: number;
}

/**
 * Counts the nodes of one document with aliases written out. An alias bomb loads in a millisecond as shared references and
 * blows up only when something walks or prints it, so it has to be counted before.
 */
export function measureAliases(source: string, events: readonly Event[]): AliasGrowth {
  const sizes = new Map<string, number>();
  const open: OpenNode[] = [{ anchor: undefined, size: 0 }];
  let written = 0;
  const nameOf = ({ anchorStart, anchorEnd }: { anchorStart: number; anchorEnd: number }): string | undefined =>
    anchorStart < 0 ? undefined : source.slice(anchorStart, anchorEnd);
  const add = (size: number): void => {
    const parent = open.at(-1);
    if (parent) parent.size += size;
  };
  for (const event of events) {
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        sizes.clear();
        open.push({ anchor: undefined, size: 0 });
        break;
      case EVENT_ID.SEQUENCE:
      case EVENT_ID.MAPPING:
        written += 1;
        open.push({ anchor: nameOf(event), size: 1 });
        break;
      case EVENT_ID.SCALAR: {
        written += 1;
        const anchor = nameOf(event);
        if (anchor !== undefined) sizes.set(anchor, 1);
        add(1);
        break;
      }
      case EVENT_ID.ALIAS: {
        written += 1;
        const name = nameOf(event) ?? '';
        if (open.some((node) => node.anchor === name)) return { circle: name, position: event.anchorStart };
        add(sizes.get(name) ?? 1);
        break;
      }
      case EVENT_ID.POP: {
        const closed = open.pop();
        if (closed === undefined) break;
        if (closed.anchor !== undefined) sizes.set(closed.anchor, closed.size);
        add(closed.size);
        break;
      }
    }
  }
  return { written, expanded: open[0]?.size ?? 0 };
}
