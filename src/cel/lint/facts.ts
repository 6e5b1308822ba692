import { pathKey } from './paths.ts';

/**
 * Paths known to be present where an expression stands. `tested` ones were asked for by name, so that the condition that
 * knows them is false, not an error, when they are absent; the others were read on the way.
 */
export class Facts {
  static readonly none = new Facts(new Map());
  private readonly paths: ReadonlyMap<string, boolean>;

  private constructor(paths: ReadonlyMap<string, boolean>) {
    this.paths = paths;
  }

  has(path: readonly string[]): boolean {
    return this.paths.has(pathKey(path));
  }

  /** Asked for by `has()`, `in`, `hasValue()` or a default. */
  isTested(path: readonly string[]): boolean {
    return this.paths.get(pathKey(path)) === true;
  }

  /** With a path and all its prefixes. */
  with(path: readonly string[], tested: boolean): Facts {
    const paths = new Map(this.paths);
    for (let length = 2; length <= path.length; length += 1) {
      const key = pathKey(path.slice(0, length));
      paths.set(key, (paths.get(key) ?? false) || (tested && length === path.length));
    }
    return new Facts(paths);
  }

  and(other: Facts): Facts {
    if (other.paths.size === 0) return this;
    const paths = new Map(this.paths);
    for (const [key, tested] of other.paths) paths.set(key, (paths.get(key) ?? false) || tested);
    return new Facts(paths);
  }

  /** Only what was asked for by name. */
  tested(): Facts {
    return new Facts(new Map([...this.paths].filter(([, tested]) => tested)));
  }
}
