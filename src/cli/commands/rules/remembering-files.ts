import type { InputFiles } from '../../io.ts';

/** Files that are read once: stdin can be read only once, and a linter needs the text behind the data. */
export function rememberingFiles(files: InputFiles): InputFiles {
  const known = new Map<string, Promise<Uint8Array>>();
  return {
    kindOf: (path) => files.kindOf(path),
    filesBelow: (folder) => files.filesBelow(folder),
    read: (path, limit) => {
      const before = known.get(path);
      if (before !== undefined) return before;
      const content = files.read(path, limit);
      known.set(path, content);
      return content;
    },
  };
}
