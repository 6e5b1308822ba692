/** Where the operator writes what it does: one object and one sentence each. No secrets. */
export interface OperatorLog {
  debug(fields: Readonly<Record<string, unknown>>, message: string): void;
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export const NO_LOG: OperatorLog = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
