const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** How long ago an RFC 3339 time was, in one or two units as kubectl shows it: `45s`, `12m`, `3h20m`, `9d`. '' for what is no time. */
export function ageOf(time: string | undefined, now: number): string {
  const then = time === undefined ? Number.NaN : Date.parse(time);
  if (Number.isNaN(then)) return '';
  const ms = Math.max(0, now - then);
  const place = UNITS.findIndex(([, size]) => ms >= 2 * size);
  const [letter, size] = UNITS[place < 0 ? UNITS.length - 1 : place] ?? ['s', 1_000];
  const whole = Math.floor(ms / size);
  const [smaller, part] = UNITS[place + 1] ?? ['', 0];
  const rest = place >= 0 && whole < 10 && part > 0 ? Math.floor((ms % size) / part) : 0;
  return rest === 0 ? `${whole}${letter}` : `${whole}${letter}${rest}${smaller}`;
}
