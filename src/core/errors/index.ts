export {
  ConvoyError,
  ERRORS,
  type ErrorCode,
  type ErrorKind,
  type ErrorValues,
  errorText,
  type RetryClass,
} from './errors.ts';
export { harmless, harmlessJson, plainLine } from './plain-text.ts';
