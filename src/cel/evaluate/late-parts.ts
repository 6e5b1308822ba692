/**
 * Gives what makes a part when it is first needed, and the same part ever after. What makes it has to be a function of its own: all that are
 * written within a function share what any of them uses, so that a step beside it would hold the plan as well.
 */
export type Late = <T>(make: () => T) => () => T;

/** Holds all that the part is made from until then. */
export const held: Late = (make) => {
  let made: { readonly part: ReturnType<typeof make> } | undefined;
  return () => {
    made ??= { part: make() };
    return made.part;
  };
};

/**
 * Holds nothing but a number: most parts are never needed, and what they are made from would be the most of a program. The first that is
 * has `again` do once more what the parts came from, in the same order, so that the number finds the part.
 */
export function forgotten(again: (late: Late) => void): Late {
  let count = 0;
  let parts: readonly (() => unknown)[] | undefined;
  const collect = (): readonly (() => unknown)[] => {
    const found: (() => unknown)[] = [];
    again((make) => {
      const part = held(make);
      found.push(part);
      return part;
    });
    return found;
  };
  return <T>(_make: () => T) => {
    const index = count;
    count += 1;
    return () => {
      parts ??= collect();
      // The same number is the same part, whose type the first making has told.
      return parts[index]!() as T;
    };
  };
}
