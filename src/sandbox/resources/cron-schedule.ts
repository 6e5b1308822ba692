/** When a CronJob is due, as github.com/robfig/cron/v3 reads a schedule: five fields, names, macros, `@every` is not for CronJobs. */
export interface CronSchedule {
  /** The first time that is due after `time` (ms since 1970); undefined when there is none within eight years. */
  next(time: number): number | undefined;
}

interface Field {
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}

const MINUTE = 60_000;
const DAY = 86_400_000;
const FIELDS: readonly Field[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] },
  { least: 0, most: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];
const MACROS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
/** Days to look ahead: 29 February may be eight years away. */
const HORIZON = 8 * 366;

function numberOf(text: string, { least, most, names }: Field): number | undefined {
  const name = names?.indexOf(text.toLowerCase()) ?? -1;
  if (name >= 0) return name + least;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

/** The values that one part of a field stands for: `*`, `5`, `1-5`, each with `/2`. */
function partValues(part: string, field: Field): number[] | undefined {
  const [range = '', stepText, ...rest] = part.split('/');
  const step = stepText === undefined ? 1 : Number(/^\d+$/.test(stepText) ? stepText : 0);
  if (step < 1 || rest.length > 0) return undefined;
  const [from = '', to, ...more] = range === '*' || range === '?' ? [] : range.split('-');
  if (more.length > 0) return undefined;
  const first = from === '' && to === undefined ? field.least : numberOf(from, field);
  const isOpen = range === '*' || range === '?' || (stepText !== undefined && to === undefined);
  const last = isOpen ? field.most : to === undefined ? first : numberOf(to, field);
  if (first === undefined || last === undefined || first > last) return undefined;
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, place) => first + place * step);
}

function fieldValues(text: string, field: Field): ReadonlySet<number> | undefined {
  const values = text.split(',').map((part) => (part === '' ? undefined : partValues(part, field)));
  return values.every((one) => one !== undefined) ? new Set(values.flat()) : undefined;
}

/** ms that a zone's clocks are ahead of UTC at a time. Throws RangeError for a zone that there is not. */
function offsetAt(time: number, zone: Intl.DateTimeFormat): number {
  const parts = Object.fromEntries(zone.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour % 24, minute, second) - Math.floor(time / 1000) * 1000;
}

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const two = '2-digit';
  const fields = { year: 'numeric', month: two, day: two, hour: two, minute: two, second: two } as const;
  return new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...fields });
}

/** Parses a schedule. Throws Error with the reason for one that is none, RangeError for a time zone that there is not. */
export function parseSchedule(text: string, timeZone = 'UTC'): CronSchedule {
  const zone = clockOf(timeZone);
  const fields = (MACROS[text.trim()] ?? text).trim().split(/\s+/);
  if (fields.length !== FIELDS.length) {
    throw new Error(`expected exactly 5 fields, found ${fields.length}: ${JSON.stringify(fields)}`);
  }
  const sets = FIELDS.map((field, place) => {
    const values = fieldValues(fields[place] ?? '', field);
    if (values === undefined) throw new Error(`failed to parse ${JSON.stringify(fields[place])} of the schedule`);
    return values;
  });
  const [minutes, hours, days, months, weekdays] = sets;
  // Both days are restricted: either will do, as in every cron.
  const either = !/^[*?]/.test(fields[2] ?? '') && !/^[*?]/.test(fields[4] ?? '');
  const isDue = (date: Date): boolean => {
    if (months?.has(date.getUTCMonth() + 1) !== true) return false;
    const [day, weekday] = [days?.has(date.getUTCDate()) === true, weekdays?.has(date.getUTCDay()) === true];
    return either ? day || weekday : day && weekday;
  };
  const minutesOfDay = [...(hours ?? [])]
    .flatMap((hour) => [...(minutes ?? [])].map((minute) => hour * 60 + minute))
    .sort((a, b) => a - b);
  return {
    next: (time) => {
      // Days and minutes by the clock on the wall, which then says at which time that is.
      const wall = time + offsetAt(time, zone);
      const today = Math.floor(wall / DAY) * DAY;
      for (let day = 0; day <= HORIZON; day += 1) {
        const start = today + day * DAY;
        if (!isDue(new Date(start))) continue;
        for (const minute of minutesOfDay) {
          const shown = start + minute * MINUTE;
          if (shown <= wall - 2 * 60 * MINUTE) continue;
          const guess = shown - offsetAt(shown - offsetAt(shown, zone), zone);
          // An hour that the clocks leave out has no such time.
          if (guess > time && guess + offsetAt(guess, zone) === shown) return guess;
        }
      }
      return undefined;
    },
  };
}
