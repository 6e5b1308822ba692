import { asMap } from '../../core/object/fields.ts';
import type { Attributes } from '../access/authorise.ts';
import type { User } from '../access/user.ts';
import { StatusError } from '../objects/status-error.ts';
import { decodeProtobuf } from '../protobuf/decode.ts';

/** A request whose body has been read. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query as they came. */
  readonly url: string;
  /** Path elements, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** In whose name it is made. */
  readonly user: User;
  readonly attributes: Attributes;
  /** How many changes a read of objects lags behind, where a fault says so. */
  readonly lag?: number;
}

/** An answer that stands when it is given. */
export interface Answer {
  readonly code: number;
  /** JSON data, or text as it is. */
  readonly body: unknown;
  readonly contentType?: string;
  /** Texts for `Warning` headers. */
  readonly warnings?: readonly string[];
}

/** An answer that goes on: `start` writes until the client leaves, the returned function ends it. */
export interface StreamAnswer {
  readonly code: 200;
  readonly contentType: string;
  readonly start: (write: (text: string) => void, end: () => void) => () => void;
}

/** All values of a header that may come several times. */
export function headerValues({ headers }: Pick<ApiRequest, 'headers'>, name: string): readonly string[] {
  const value = headers[name];
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

export function header(request: Pick<ApiRequest, 'headers'>, name: string): string {
  return headerValues(request, name)[0] ?? '';
}

/** The body as JSON data, also when it came in protobuf; an empty one is an empty object. Throws 400, 415. */
export function jsonBody(request: ApiRequest): unknown {
  const { body } = request;
  if (body.length === 0) return {};
  const type = header(request, 'content-type');
  if (type.startsWith('application/vnd.kubernetes.protobuf')) return decodeProtobuf(body);
  if (type.startsWith('application/cbor')) {
    throw new StatusError('UnsupportedMediaType', 'the sandbox does not read CBOR; send application/json');
  }
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw new StatusError(
      'BadRequest',
      `the body is not JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** One choice of an Accept header. */
export interface Accept {
  readonly type: string;
  /** `Table`, `PartialObjectMetadata`, `APIGroupDiscoveryList`, …; '' for objects as they are. */
  readonly as: string;
  readonly version: string;
}

/** The choices of the Accept header in order. */
export function accepts(request: ApiRequest): Accept[] {
  return (header(request, 'accept') || '*/*').split(',').map((choice) => {
    const [type = '', ...parameters] = choice.split(';').map((part) => part.trim());
    const values = Object.fromEntries(parameters.map((one) => one.split('=') as [string, string]));
    return {
      type,
      as: asMap(values)['as'] === undefined ? '' : String(values['as']),
      version: String(values['v'] ?? ''),
    };
  });
}

/** The first choice that can be served as JSON. Throws 406 when there is none. */
export function chosen(request: ApiRequest): Accept {
  const choice = accepts(request).find(({ type }) => ['application/json', 'application/*', '*/*'].includes(type));
  if (choice !== undefined) return choice;
  throw new StatusError('NotAcceptable', 'only the following media types are accepted: application/json');
}
