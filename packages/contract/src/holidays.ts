/** Brazil's national holidays, and the days on which most companies choose to close, in the order of the year. */
export const nationalHolidayKeys = [
  "newYear",
  "carnivalMonday",
  "carnivalTuesday",
  "goodFriday",
  "tiradentes",
  "labourDay",
  "corpusChristi",
  "independence",
  "aparecida",
  "allSouls",
  "republic",
  "blackAwareness",
  "christmas",
] as const;
export type NationalHolidayKey = (typeof nationalHolidayKeys)[number];

/** A day each year, or so many days after Easter Sunday. No holiday by law: off until the company switches it on. */
type Rule = { date: string; isByLaw: true } | { afterEaster: number; isByLaw: boolean };

const rules: Readonly<Record<NationalHolidayKey, Rule>> = {
  newYear: { date: "01-01", isByLaw: true },
  carnivalMonday: { afterEaster: -48, isByLaw: false },
  carnivalTuesday: { afterEaster: -47, isByLaw: false },
  goodFriday: { afterEaster: -2, isByLaw: true },
  tiradentes: { date: "04-21", isByLaw: true },
  labourDay: { date: "05-01", isByLaw: true },
  corpusChristi: { afterEaster: 60, isByLaw: false },
  independence: { date: "09-07", isByLaw: true },
  aparecida: { date: "10-12", isByLaw: true },
  allSouls: { date: "11-02", isByLaw: true },
  republic: { date: "11-15", isByLaw: true },
  blackAwareness: { date: "11-20", isByLaw: true },
  christmas: { date: "12-25", isByLaw: true },
};

/** A day of the company's own, `YYYY-MM-DD`. */
export type OwnHoliday = { date: string; name: string; everyYear: boolean; isOn: boolean };

/** The days on which a company is closed whatever its hours say. */
export type HolidayCalendar = {
  /** The national days that the company has switched on or off. */
  national: { readonly [Key in NationalHolidayKey]?: boolean | undefined };
  own: readonly OwnHoliday[];
};

/** That of a company that has changed nothing. */
export const usualHolidays: HolidayCalendar = { national: {}, own: [] };

/** A national day by its key, or one of the company's by its name. */
export type Holiday = { key: NationalHolidayKey } | { name: string };

export function isNationalOn({ national }: HolidayCalendar, key: NationalHolidayKey): boolean {
  return national[key] ?? rules[key].isByLaw;
}

/** The date `YYYY-MM-DD` of a national day in a year. */
export function nationalDate(key: NationalHolidayKey, year: number): string {
  const rule = rules[key];
  if ("date" in rule) return `${String(year).padStart(4, "0")}-${rule.date}`;
  const day = new Date(easterSunday(year));
  day.setUTCDate(day.getUTCDate() + rule.afterEaster);
  return dayText(day.getTime());
}

/** The holiday of a day `YYYY-MM-DD`, by the company's calendar. */
export function holidayOn(calendar: HolidayCalendar, day: string): Holiday | null {
  const own = calendar.own.find(
    ({ date, everyYear, isOn }) =>
      isOn && (everyYear ? date.slice(5) === day.slice(5) : date === day),
  );
  if (own) return { name: own.name };
  const year = Number(day.slice(0, 4));
  const key = nationalHolidayKeys.find(
    (one) => isNationalOn(calendar, one) && nationalDate(one, year) === day,
  );
  return key === undefined ? null : { key };
}

/** The day of a moment in UTC, `YYYY-MM-DD`. */
export function dayText(utcMs: number): string {
  return new Date(utcMs).toISOString().slice(0, 10);
}

/** Easter Sunday of the Gregorian calendar, in ms, by the anonymous algorithm (Meeus). */
function easterSunday(year: number): number {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const ofCentury = year % 100;
  const leapCenturies = Math.floor(century / 4);
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * golden + century - leapCenturies - correction + 15) % 30;
  const weekday =
    (32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - epact - (ofCentury % 4)) % 7;
  const shift = Math.floor((golden + 11 * epact + 22 * weekday) / 451);
  const count = epact + weekday - 7 * shift + 114;
  return Date.UTC(year, Math.floor(count / 31) - 1, (count % 31) + 1);
}
