/** Insertions, deletions and replacements that turn one word into the other. */
function editDistance(a: string, b: string): number {
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const change = (last[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(change, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    last = current;
  }
  return last[b.length] ?? 0;
}

/** The candidate nearest to a misspelt name; undefined when none is within a third of its letters. */
export function closestName(name: string, candidates: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let limit = Math.floor(name.length / 3) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < limit) [nearest, limit] = [candidate, distance];
  }
  return nearest;
}
