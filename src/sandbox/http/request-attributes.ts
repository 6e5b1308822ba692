import { type Attributes, attributes } from '../access/authorise.ts';

const VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};
/** Of a namespace itself; any other third element is a resource in it. */
const NAMESPACE_SUBRESOURCES = ['status', 'finalize'];

function verbOf(method: string, name: string, query: URLSearchParams): string {
  const verb = VERBS[method] ?? method.toLowerCase();
  if (verb === 'get' && ['true', '1'].includes(query.get('watch') ?? '')) return 'watch';
  if (name !== '') return verb;
  return verb === 'get' ? 'list' : verb === 'delete' ? 'deletecollection' : verb;
}

/** What a request does, read from method, path and query as the RequestInfoFactory of k8s.io/apiserver reads it. */
export function attributesOf(method: string, path: readonly string[], query: URLSearchParams): Attributes {
  const [root = '', ...rest] = path;
  const isCore = root === 'api';
  const [group = '', version = '', ...parts] = isCore ? ['', ...rest] : rest;
  if ((!isCore && root !== 'apis') || parts.length === 0) {
    return attributes({ verb: method.toLowerCase(), path: `/${path.join('/')}` });
  }
  const inNamespace = parts[0] === 'namespaces' && parts.length > 1;
  const itself = inNamespace && (parts.length === 2 || NAMESPACE_SUBRESOURCES.includes(parts[2] ?? ''));
  const [resource = '', given = '', subresource = ''] = inNamespace && !itself ? parts.slice(2) : parts;
  const namespace = inNamespace ? (parts[1] ?? '') : '';
  const verb = verbOf(method, given, query);
  const selected = /^metadata\.name==?([^,]+)$/.exec(query.get('fieldSelector') ?? '')?.[1];
  const name = given === '' && ['list', 'watch', 'deletecollection'].includes(verb) ? (selected ?? '') : given;
  return attributes({ verb, group, version, resource, subresource, namespace, name });
}
