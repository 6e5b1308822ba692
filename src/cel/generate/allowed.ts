let allowed: boolean | undefined;

/**
 * Whether the host lets a program be made from text: not under a content security policy without `unsafe-eval`, nor under
 * Node's `--disallow-code-generation-from-strings`. Asked once.
 */
export function codeGenerationAllowed(): boolean {
  if (allowed === undefined) {
    try {
      allowed = new Function('return true')() === true;
    } catch {
      allowed = false;
    }
  }
  return allowed;
}
