const NEWLINE = 10;

/** A line longer than this (bytes) is no object: etcd takes 1.5 MB by default, and nobody sets it to twenty times that. */
const LONGEST_LINE = 32 << 20;

/**
 * Cuts a stream of bytes at byte 10, which UTF-8 has nowhere else. Pieces are kept apart until their line ends, so that a line
 * in a thousand pieces is copied once.
 */
export class LineSplitter {
  #pieces: Buffer[] = [];
  #length = 0;

  /** Lines that this piece ends, without their newline. @throws RangeError when a line has no end */
  push(piece: Buffer): Buffer[] {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      lines.push(this.#join(piece.subarray(start, end)));
      start = end + 1;
    }
    if (start < piece.length) {
      this.#pieces.push(piece.subarray(start));
      this.#length += piece.length - start;
      if (this.#length > LONGEST_LINE) throw new RangeError(`a line of more than ${LONGEST_LINE} bytes`);
    }
    return lines;
  }

  /** What stands behind the last newline. */
  rest(): Buffer {
    return this.#join(Buffer.alloc(0));
  }

  #join(last: Buffer): Buffer {
    if (this.#pieces.length === 0) return last;
    const line = Buffer.concat([...this.#pieces, last], this.#length + last.length);
    this.#pieces = [];
    this.#length = 0;
    return line;
  }
}
