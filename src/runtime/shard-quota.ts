/** How many of `count` shards a member has: all get the same, the first by name one more where it does not come out even. */
export function quotaOf(member: string, members: readonly string[], count: number): number {
  const rank = [...members].sort().indexOf(member);
  return Math.floor(count / members.length) + (rank < count % members.length ? 1 : 0);
}

/** The shard of a key, the same in every process and every version: FNV-1a over the UTF-16 units of the key. */
export function shardOf(key: string, count: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % count;
}
