import type { FoldPlan, PathPlan, Plan, ProgramPlan } from '../plan/plan.ts';
import { PathNode } from './path-trie.ts';

/**
 * What an expression may stand for: places of the data that its value may be (`places`), and what its elements may be.
 * Values computed from the data stand for no place; what they were computed from has been marked.
 */
interface Alias {
  readonly places: readonly PathNode[];
  readonly elements: Alias | undefined;
}

const NOTHING: Alias = { places: [], elements: undefined };

/** The reads of a program, by variable. */
export function referencedPlaces(plan: ProgramPlan): ReadonlyMap<string, PathNode> {
  const places = new Map(plan.roots.map(({ name }) => [name, new PathNode()]));
  const slots = new Map<number, Alias>();
  for (const { name, slot } of plan.roots) slots.set(slot, { places: [places.get(name)!], elements: undefined });
  markWhole(new Reads(slots).visit(plan.root));
  return places;
}

function markWhole(alias: Alias): void {
  for (const place of alias.places) place.subtree = true;
  if (alias.elements) markWhole(alias.elements);
}

function markLength(alias: Alias): void {
  for (const place of alias.places) place.length = true;
}

function union(a: Alias, b: Alias): Alias {
  if (a === NOTHING) return b;
  if (b === NOTHING || a === b) return a;
  const elements = a.elements && b.elements ? union(a.elements, b.elements) : (a.elements ?? b.elements);
  // Each place once: a choice between a variable and itself, forty times over, would double them forty times.
  return { places: [...new Set([...a.places, ...b.places])], elements };
}

function field(alias: Alias, key: string | number): Alias {
  const places = alias.places.map((place) => place.field(key));
  return alias.elements ? union({ places, elements: undefined }, alias.elements) : { places, elements: undefined };
}

function element(alias: Alias): Alias {
  const places = alias.places.map((place) => place.element());
  return alias.elements ? union({ places, elements: undefined }, alias.elements) : { places, elements: undefined };
}

class Reads {
  private readonly slots: Map<number, Alias>;

  constructor(slots: Map<number, Alias>) {
    this.slots = slots;
  }

  visit(plan: Plan): Alias {
    switch (plan.kind) {
      case 'constant':
      case 'failure':
        return NOTHING;
      case 'variable':
        return this.slots.get(plan.slot) ?? NOTHING;
      case 'lazy': {
        const known = this.slots.get(plan.slot) ?? this.visit(plan.init);
        this.slots.set(plan.slot, known);
        return known;
      }
      case 'path':
        return this.path(plan);
      case 'conditional':
        this.use(plan.condition);
        return union(this.visit(plan.yes), this.visit(plan.no));
      case 'orElse':
        return union(this.visit(plan.operand), this.visit(plan.otherwise));
      case 'list':
        return { places: [], elements: plan.elements.map(({ value }) => this.visit(value)).reduce(union, NOTHING) };
      case 'map':
        for (const { key } of plan.entries) this.use(key);
        return { places: [], elements: plan.entries.map(({ value }) => this.visit(value)).reduce(union, NOTHING) };
      case 'fold':
        return this.fold(plan);
      case 'bind':
        return this.visit(plan.body);
      case 'optionalMap': {
        this.slots.set(plan.valueSlot, this.visit(plan.target));
        const body = this.visit(plan.body);
        // Wrapped or not: a path into an optional goes into its value.
        return body;
      }
      case 'optionalValue':
        return this.slots.get(plan.valueSlot) ?? NOTHING;
      case 'call':
        return this.call(plan);
      case 'and':
      case 'or':
        for (const operand of plan.operands) this.use(operand);
        return NOTHING;
      case 'not':
        this.use(plan.operand);
        return NOTHING;
      case 'membership':
        this.use(plan.item);
        this.use(plan.container);
        return NOTHING;
      case 'arithmetic':
      case 'equality':
      case 'order':
        this.use(plan.left);
        this.use(plan.right);
        return NOTHING;
    }
  }

  /** The value is looked at as a whole. */
  private use(plan: Plan): void {
    markWhole(this.visit(plan));
  }

  private path(plan: PathPlan): Alias {
    let alias = this.visit(plan.base);
    for (const segment of plan.segments) {
      if (segment.kind === 'field') alias = field(alias, segment.key);
      else if (
        segment.kind === 'constantIndex' &&
        (typeof segment.key === 'string' || typeof segment.key === 'number')
      ) {
        alias = field(alias, segment.key);
      } else {
        if (segment.kind === 'index') this.use(segment.index);
        markLength(alias);
        alias = element(alias);
      }
    }
    // `has(p)` sees whether something is there, which every comparison of a place begins with.
    return plan.presence ? NOTHING : alias;
  }

  private fold(plan: FoldPlan): Alias {
    const range = this.visit(plan.range);
    markLength(range);
    const each = element(range);
    this.slots.set(plan.slot, each);
    if (plan.indexSlot !== undefined) this.slots.set(plan.indexSlot, NOTHING);
    if (plan.filter) this.use(plan.filter);
    const body = this.visit(plan.body);
    switch (plan.operation) {
      case 'filter':
        markWhole(body);
        return { places: [], elements: each };
      case 'sortBy':
        markWhole(body);
        return { places: [], elements: each };
      case 'map':
      case 'transformList':
      case 'transformMap':
        return { places: [], elements: body };
      case 'transformMapEntry':
      case 'all':
      case 'exists':
      case 'exists_one':
        markWhole(body);
        return NOTHING;
    }
  }

  private call(plan: Plan & { kind: 'call' }): Alias {
    const { name } = plan.fn;
    const [first] = plan.args;
    if (first && plan.args.length === 1 && name === 'dyn') return this.visit(first);
    if (first && plan.args.length === 1 && (name === 'optional.of' || name === 'value')) return this.visit(first);
    if (first && plan.args.length === 1 && name === 'size') markLength(this.visit(first));
    else for (const arg of plan.args) this.use(arg);
    return NOTHING;
  }
}
