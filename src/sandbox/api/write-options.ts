/** What becomes of fields that the schema does not know: refused, told of, or dropped in silence. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

export interface WriteOptions {
  /** The field manager. */
  readonly manager: string;
  readonly dryRun?: boolean;
  /** `status`, or ''. */
  readonly subresource?: string;
  /** Reads the object into the types of its kind; absent for the sandbox's own controllers, which write what they have read. */
  readonly fieldValidation?: FieldValidation;
  /** Takes warnings for the client. */
  readonly warn?: (text: string) => void;
  /** The text of a patch, which refusals of what it makes quote. */
  readonly patch?: string;
}

export interface DeleteOptions {
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly dryRun?: boolean;
}

/** Time and chance, from outside. */
export interface World {
  /** ms since 1970. */
  now(): number;
  uid(): string;
  /** Five characters for generateName. */
  suffix(): string;
}
