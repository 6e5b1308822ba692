export { hideTexts, secretTexts } from './hide-secrets.ts';
export { insidePath, insidePathFrom, isWithin } from './inside-path.ts';
export {
  isLoopback,
  readSourceAddress,
  type SourceAddress,
  type SourceScheme,
  shownAddress,
} from './source-address.ts';
