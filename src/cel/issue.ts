/** What can be wrong with a source before it runs. Lint codes are warnings. */
export type IssueCode =
  | 'syntax'
  | 'invalid_literal'
  | 'invalid_macro'
  | 'limit_exceeded'
  | 'undeclared_reference'
  | 'undefined_field'
  | 'no_matching_overload'
  | 'type_mismatch'
  | 'not_supported'
  | 'duplicate_key'
  | 'invalid_argument'
  | 'result_type'
  | 'unguarded_field'
  | 'has_on_wrong_level'
  | 'constant_condition'
  | 'always_false_comparison'
  | 'null_comparison'
  | 'needless_regex'
  | 'cost_estimate'
  | 'newer_function'
  | 'uncharged_call'
  | 'result_not_bool';

/** A replacement in the source, in UTF-16 offsets. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** `line` and `column` are 1-based (column in UTF-16 units); `hint` is how to mend it. */
export interface Issue {
  readonly severity: 'error' | 'warning';
  readonly code: IssueCode;
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly column: number;
  readonly hint?: string;
  readonly edit?: TextEdit;
}
