import { SourceError } from '../../../ports/renderer.ts';
import { codeOf } from './cache-folder.ts';

/** Failures of the disk that the cache is on, in the words of the port; any other error as it is. */
export function diskFailure(error: unknown, folder: string): unknown {
  const told = (message: string, retry: 'retry' | 'terminal'): SourceError =>
    new SourceError(message, retry, { cause: error });
  switch (codeOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return told(
        `the disk of the source cache is full (${folder}); give it room for the cache and twice the largest source`,
        'retry',
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOTDIR':
      return told(
        `the source cache cannot be written (${folder}); name a folder that is ours alone and can be written`,
        'retry',
      );
    case 'ENAMETOOLONG':
      return told('the source holds a path that is too long for the disk', 'terminal');
    default:
      return error;
  }
}
