/** Most warnings that are remembered, so that an operator that runs for months keeps its memory. */
const MOST = 1000;

/** Warning headers of the API server (`299 - "text"`, RFC 7234 §5.5), each told once. */
export class Warnings {
  readonly #tell: ((text: string) => void) | undefined;
  readonly #told = new Set<string>();

  constructor(tell: ((text: string) => void) | undefined) {
    this.#tell = tell;
  }

  take(header: string | string[] | undefined): void {
    if (header === undefined || !this.#tell) return;
    for (const value of Array.isArray(header) ? header : [header]) {
      for (const [, quoted = ''] of value.matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/g)) {
        const text = quoted.replace(/\\(.)/g, '$1');
        if (this.#told.has(text) || this.#told.size >= MOST) continue;
        this.#told.add(text);
        this.#tell(text);
      }
    }
  }
}
