/** One segment: a field, a constant index, or `*` for any element. */
export type Path = readonly (string | number)[];

/** A place in the data that a program reads, with the places below it. */
export class PathNode {
  readonly fields = new Map<string | number, PathNode>();
  /** Any element of a list, any value of a map. */
  any: PathNode | undefined = undefined;
  /** The whole value counts, however deep. */
  subtree = false;
  /** The number of elements counts, the keys of a map with it. */
  length = false;

  field(key: string | number): PathNode {
    let node = this.fields.get(key);
    if (!node) {
      node = new PathNode();
      this.fields.set(key, node);
    }
    return node;
  }

  element(): PathNode {
    this.any ??= new PathNode();
    return this.any;
  }
}

/**
 * The places of the variables that can influence a result: the value, its error code or its cost. An over-approximation:
 * changing anything outside never changes any of the three.
 */
export interface PathSet {
  /** Whether a change at this path can matter; `['obj', 'status', 'conditions', 0, 'type']`. */
  has(path: Path): boolean;
  /** Every place where a read ends, `*` for an element; `subtree`: with everything below it. */
  toArray(): readonly { readonly path: Path; readonly subtree: boolean }[];
  /** Variables that are used whole. */
  readonly whole: readonly string[];
}

export class TriePathSet implements PathSet {
  private readonly roots: ReadonlyMap<string, PathNode>;

  constructor(roots: ReadonlyMap<string, PathNode>) {
    this.roots = roots;
  }

  get whole(): readonly string[] {
    return Array.from(this.roots)
      .filter(([, node]) => node.subtree)
      .map(([name]) => name);
  }

  has(path: Path): boolean {
    const [variable, ...segments] = path;
    const root = typeof variable === 'string' ? this.roots.get(variable) : undefined;
    return root !== undefined && reaches(root, segments, 0);
  }

  toArray(): readonly { readonly path: Path; readonly subtree: boolean }[] {
    const found: { path: Path; subtree: boolean }[] = [];
    for (const [name, node] of this.roots) collect(node, [name], found);
    return found;
  }
}

/** A path above a read counts as well: replacing it replaces what is read. */
function reaches(node: PathNode, segments: Path, at: number): boolean {
  if (at >= segments.length || node.subtree) return true;
  const segment = segments[at]!;
  const below = node.fields.get(segment);
  if (below && reaches(below, segments, at + 1)) return true;
  if (segment === '*' && Array.from(node.fields.values()).some((each) => reaches(each, segments, at + 1))) return true;
  // An element that nobody reads still counts towards the length.
  if (node.length && at === segments.length - 1) return true;
  return node.any !== undefined && reaches(node.any, segments, at + 1);
}

function collect(node: PathNode, path: Path, found: { path: Path; subtree: boolean }[]): void {
  const isLeaf = node.fields.size === 0 && node.any === undefined;
  if (node.subtree || node.length || isLeaf) found.push({ path, subtree: node.subtree });
  if (node.subtree) return;
  for (const [key, below] of node.fields) collect(below, [...path, key], found);
  if (node.any) collect(node.any, [...path, '*'], found);
}
