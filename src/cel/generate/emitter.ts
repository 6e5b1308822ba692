/** JavaScript being written: lines, temporaries, constants handed over by reference, and cost that is not yet charged. */
export class Emitter {
  private readonly lines: string[] = [];
  private readonly constants: unknown[] = [];
  private readonly named = new Set<number>();
  private temporaries = 0;
  private pending = 0;

  /** One or more whole statements; what is charged before them is charged first. */
  line(text: string): void {
    this.flush();
    this.lines.push(text);
  }

  /** Cost units of the straight line that is being written. */
  charge(units: number): void {
    this.pending += units;
  }

  /** Writes the cost gathered so far; needed before control parts or joins. */
  flush(): void {
    if (this.pending > 0) this.lines.push(`c+=${this.pending};`);
    this.pending = 0;
  }

  temporary(): string {
    this.temporaries += 1;
    return `t${this.temporaries}`;
  }

  /** The name under which the code finds a value of ours. User text never becomes part of the code in any other way. */
  constant(value: unknown): string {
    const index = this.indexOf(value);
    this.named.add(index);
    return `k${index}`;
  }

  /** As `constant`, for what hardly ever runs: it gets no name. */
  rareConstant(value: unknown): string {
    return `K[${this.indexOf(value)}]`;
  }

  private indexOf(value: unknown): number {
    const known = this.constants.indexOf(value);
    return known >= 0 ? known : this.constants.push(value) - 1;
  }

  /** Statement that calls one of our functions, which charges by itself: the local counter goes to the frame first. */
  callInto(target: string, call: string): void {
    this.line(`f.cost+=c;c=0;${target}=${call};`);
  }

  /** The finished function's text and the constants it takes. */
  finish(result: string): { readonly body: string; readonly constants: readonly unknown[] } {
    this.flush();
    const names = Array.from(this.named, (index) => `k${index}=K[${index}]`);
    const unpack = names.length > 0 ? `const ${names.join(',')};` : '';
    const body = `'use strict';${unpack}return function(f,b){const s=f.slots;let c=0;\n${this.lines.join('\n')}\nf.cost+=c;return ${result};};`;
    return { body, constants: this.constants };
  }
}

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `.name` where the name is one, so that every read has an inline cache of its own; a quoted index else. */
export function propertyAccess(name: string): string {
  return PLAIN_NAME.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
