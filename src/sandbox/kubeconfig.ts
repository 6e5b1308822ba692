/** What a client needs to reach a sandbox. */
export interface Access {
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  readonly token: string;
  /** PEM. */
  readonly authority: string;
}

/** A kubeconfig with one context, `convoy-sandbox`. JSON, which every reader of YAML reads. */
export function kubeconfig({ url, token, authority }: Access): string {
  const name = 'convoy-sandbox';
  const cluster = { server: url, 'certificate-authority-data': Buffer.from(authority).toString('base64') };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
    clusters: [{ name, cluster }],
    users: [{ name, user: { token } }],
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
