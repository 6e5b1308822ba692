/** A date and time of day of the proleptic Gregorian calendar, without a zone. `month` is 1…12, `day` 1…31. */
export interface CivilTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const DAY_SECONDS = 86_400;
const ERA_DAYS = 146_097; // 400 years
/** Days from 0000-03-01 to 1970-01-01. Years begin in March here, so that the leap day is a year's last. */
const EPOCH_DAYS = 719_468;

/** Days since 1970-01-01; month 1…12, any day number (day 0 is the day before the first). */
export function daysFromCivil(year: number, month: number, day: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * ERA_DAYS + dayOfEra - EPOCH_DAYS;
}

/** Unix seconds of a date and time read as UTC. */
export function secondsFromCivil(time: CivilTime): number {
  const days = daysFromCivil(time.year, time.month, time.day);
  return days * DAY_SECONDS + time.hour * 3600 + time.minute * 60 + time.second;
}

/** Date and time in UTC of whole Unix seconds. */
export function civilFromSeconds(seconds: number): CivilTime {
  const days = Math.floor(seconds / DAY_SECONDS);
  const ofDay = seconds - days * DAY_SECONDS;
  const shifted = days + EPOCH_DAYS;
  const era = Math.floor(shifted / ERA_DAYS);
  const dayOfEra = shifted - era * ERA_DAYS;
  const leaps = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: era * 400 + yearOfEra + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
    hour: Math.floor(ofDay / 3600),
    minute: Math.floor(ofDay / 60) % 60,
    second: ofDay % 60,
  };
}

/** 0 is Sunday. */
export function dayOfWeek(time: CivilTime): number {
  const sinceSunday = daysFromCivil(time.year, time.month, time.day) + 4; // 1970-01-01 was a Thursday
  return ((sinceSunday % 7) + 7) % 7;
}

/** 0-based. */
export function dayOfYear(time: CivilTime): number {
  return daysFromCivil(time.year, time.month, time.day) - daysFromCivil(time.year, 1, 1);
}

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether the calendar has this day: 30 February is refused, 29 February only in leap years taken. */
export function isRealDate(year: number, month: number, day: number): boolean {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 1 : 0;
  return day >= 1 && day <= (MONTH_DAYS[month - 1] ?? 0) + leap;
}
