/** Ends a switch over a union: a member that the switch has forgotten does not compile. */
export function assertNever(value: never): never {
  throw new Error(`unreachable: ${String(value)}`);
}
