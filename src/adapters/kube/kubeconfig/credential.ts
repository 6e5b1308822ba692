/** A client certificate and its key, as PEM. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** What a request proves itself with. */
export interface Credential {
  readonly token: string | undefined;
  readonly certificate: ClientCertificate | undefined;
}

/** Where credentials come from: read, run and renewed as the kubeconfig says. */
export interface CredentialSource {
  /** A credential that is good now. @throws TransportError (`credentials`) when there is none */
  current(): Promise<Credential>;
  /**
   * The server answered 401 to this credential.
   *
   * @returns whether asking for `current` again can bring another one
   */
  refused(credential: Credential): boolean;
}

export const NO_CREDENTIAL: Credential = { token: undefined, certificate: undefined };
