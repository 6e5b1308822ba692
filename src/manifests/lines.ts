/** Line ends between two positions of a text. */
export function countLines(text: string, from: number, to: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** The line of each position that is asked for, in rising order; one pass over the text for all of them. */
export function risingLines(text: string, firstLine: number): (position: number) => number {
  let line = firstLine;
  let next = text.indexOf('\n');
  return (position) => {
    while (next >= 0 && next < position) {
      line += 1;
      next = text.indexOf('\n', next + 1);
    }
    return line;
  };
}
