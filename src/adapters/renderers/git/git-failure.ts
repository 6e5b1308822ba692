import { plainLine } from '../../../core/errors/index.ts';
import { hideTexts } from '../../../core/source/index.ts';
import { type SourceCredentials, SourceError } from '../../../ports/renderer.ts';

/** Characters of Git's own words in a message. */
const LONGEST = 300;

interface Kind {
  readonly pattern: RegExp;
  readonly retry: 'retry' | 'terminal';
  readonly message: (shown: string) => string;
}

/** What Git says (in English, LC_ALL=C) and what it means; the first that fits. */
const KINDS: readonly Kind[] = [
  {
    pattern: /no space left on device|disk quota exceeded/i,
    retry: 'retry',
    message: (shown) => `${shown}: the disk of the source cache is full; give it more room`,
  },
  {
    pattern: /host key verification failed|no .* host key is known|host identification has changed/i,
    retry: 'retry',
    message: (shown) => `${shown}: the key of the host is not in known_hosts of the Secret; compare it and add it`,
  },
  {
    pattern:
      /authentication failed|could not read (username|password)|terminal prompts disabled|error: 40[13]\b|permission denied|access denied/i,
    // The Secret may be mended without a change of the Release.
    retry: 'retry',
    message: (shown) => `${shown} refused to let us in; check the Secret that secretRef names`,
  },
  {
    pattern: /could not resolve host|name or service not known|temporary failure in name resolution/i,
    retry: 'retry',
    message: (shown) => `${shown}: the name of the host is not known; check url`,
  },
  {
    pattern: /certificate|ssl|tls/i,
    retry: 'retry',
    message: (shown) => `${shown}: its certificate is not trusted; put its authority into the Secret as ca.crt`,
  },
  {
    pattern: /index-pack died of signal|file too large|invalid index-pack output|file size limit exceeded/i,
    retry: 'terminal',
    message: (shown) => `${shown} is larger than what may be fetched; name a smaller repository`,
  },
  {
    pattern: /repository '.*' not found|does not appear to be a git repository|repository not found|error: 404\b/i,
    retry: 'terminal',
    message: (shown) => `${shown}: there is no such repository; check url, and secretRef if it is private`,
  },
];

/** The line of Git's complaint that says most. */
function lineOf(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const fatal = lines.find((line) => /^(fatal|error|ssh):/.test(line)) ?? lines.at(-1) ?? 'no answer';
  return plainLine(fatal.replace(/^(fatal|error): /, '')).slice(0, LONGEST);
}

/** The error of a Git command that ended badly; `shown` is the address without secrets. */
export function gitFailure(shown: string, stderr: string, credentials: SourceCredentials): SourceError {
  const kind = KINDS.find(({ pattern }) => pattern.test(stderr));
  if (kind) return new SourceError(kind.message(shown), kind.retry);
  const secrets = Object.values(credentials).filter((one) => typeof one === 'string');
  return new SourceError(`${shown}: git says: ${hideTexts(lineOf(stderr), secrets)}`, 'retry');
}
