/** What a command line needs from the world around it. The composition root gives it; tests give their own. */
export interface CliIo {
  /** Arguments after the program's name. */
  readonly args: readonly string[];
  /** Environment variables, as the process has them. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether results go to a terminal. */
  readonly isTerminal: boolean;
  /** Size of the terminal in characters, where results go to one that has a size. */
  terminalSize?(): { readonly rows: number; readonly columns: number } | undefined;
  readonly version: string;
  readonly files: InputFiles;
  /** Milliseconds since 1970. */
  now(): number;
  /** Writes results; resolves when they are written, also when nobody reads them any more. */
  out(text: string): Promise<void>;
  /** Writes talk: progress, notes, errors. */
  err(text: string): Promise<void>;
}

/** Where inputs come from. Each method throws a ConvoyError that says what is wrong. */
export interface InputFiles {
  kindOf(path: string): Promise<'file' | 'folder'>;
  /**
   * Paths of all files below a folder, in no order. Links to folders are not followed and names with a leading dot are left
   * out: a mounted ConfigMap holds every file a second time under `..data`.
   */
  filesBelow(folder: string): Promise<readonly string[]>;
  /** The bytes of a file, or of stdin for `-`. Refuses more than `limit` bytes before reading them. */
  read(path: string, limit: number): Promise<Uint8Array>;
}
