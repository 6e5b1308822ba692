/** Errors and explanations as text: of the entry `convoy/cel/tools`, and apart from it for who loads no other tool. */
export { explainText } from './explain/explain-text.ts';
export { formatError } from './format/error-text.ts';
