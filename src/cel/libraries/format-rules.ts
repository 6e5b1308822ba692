import { decodeBase64 } from '../text/base64.ts';
import { isRealDate } from '../time/civil.ts';
import { parseRequestUri, UrlProblem } from './url-text.ts';

/** A named format: the size that the reference charges a regular expression for it, and what is wrong with a text. */
export interface NamedFormat {
  readonly regexSize: number;
  readonly problems: (text: string) => readonly string[];
}

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const QUALIFIED_NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i;

/** Lengths of RFC 1123 names as Kubernetes takes them. */
const LABEL_LENGTH = 63;
const SUBDOMAIN_LENGTH = 253;

function shaped(pattern: RegExp, length: number, shape: string): (text: string) => readonly string[] {
  return (text) => {
    const problems: string[] = [];
    if (text.length > length) problems.push(`must be no more than ${length} characters`);
    if (!pattern.test(text)) problems.push(`must be ${shape}`);
    return problems;
  };
}

const label = shaped(LABEL, LABEL_LENGTH, 'lower case letters, digits and -, with a letter or digit at both ends');
const label1035 = shaped(LABEL_1035, LABEL_LENGTH, 'lower case letters, digits and -, beginning with a letter');
const subdomain = shaped(SUBDOMAIN, SUBDOMAIN_LENGTH, 'labels of lower case letters, digits and -, joined by dots');
const name = shaped(QUALIFIED_NAME, LABEL_LENGTH, 'letters, digits, -, _ and ., with a letter or digit at both ends');

/**
 * A prefix to which a suffix will be added may end in a dash. As in the reference, a trailing dash is judged as if it and
 * the character before were one letter.
 */
function asPrefix(problems: (text: string) => readonly string[]): (text: string) => readonly string[] {
  return (text) => problems(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text);
}

function qualifiedName(text: string): readonly string[] {
  const parts = text.split('/');
  const [first = '', second] = parts;
  if (parts.length > 2) return ['must be a name with an optional prefix and one /'];
  if (second === undefined) return name(first);
  const prefix = first === '' ? ['must not be empty'] : subdomain(first);
  return [...prefix.map((problem) => `the prefix ${problem}`), ...name(second).map((problem) => `the name ${problem}`)];
}

function isDate(text: string): boolean {
  const match = DATE.exec(text);
  return match !== null && isRealDate(Number(match[1]), Number(match[2]), Number(match[3]));
}

function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.split(/t/i);
  const match = TIME.exec(time);
  if (match === null || !isDate(date)) return false;
  return Number(match[1]) <= 23 && Number(match[2]) <= 59 && Number(match[3]) <= 59;
}

function fits(test: (text: string) => boolean, problem: string): (text: string) => readonly string[] {
  return (text) => (test(text) ? [] : [problem]);
}

function isPaddedBase64(text: string): boolean {
  return text !== '' && !/[\r\n]/.test(text) && decodeBase64(text, 'required') !== undefined;
}

function uriProblems(text: string): readonly string[] {
  const parts = parseRequestUri(text);
  return parts instanceof UrlProblem ? [`must be a URI: ${parts.reason}`] : [];
}

/** All named formats; the sizes are those of the reference's regular expressions. */
export const FORMATS: Readonly<Record<string, NamedFormat>> = {
  dns1123Label: { regexSize: 30, problems: label },
  dns1123Subdomain: { regexSize: 60, problems: subdomain },
  dns1035Label: { regexSize: 30, problems: label1035 },
  qualifiedName: { regexSize: 60, problems: qualifiedName },
  dns1123LabelPrefix: { regexSize: 30, problems: asPrefix(label) },
  dns1123SubdomainPrefix: { regexSize: 60, problems: asPrefix(subdomain) },
  dns1035LabelPrefix: { regexSize: 30, problems: asPrefix(label1035) },
  labelValue: { regexSize: 40, problems: (text) => (text === '' ? [] : name(text)) },
  uri: { regexSize: 1103, problems: uriProblems },
  uuid: { regexSize: 70, problems: fits((text) => UUID.test(text), 'must be a UUID') },
  byte: { regexSize: 84, problems: fits(isPaddedBase64, 'must be padded base64') },
  date: { regexSize: 71, problems: fits(isDate, 'must be a date, YYYY-MM-DD') },
  datetime: { regexSize: 71, problems: fits(isDateTime, 'must be an RFC 3339 date and time') },
};
