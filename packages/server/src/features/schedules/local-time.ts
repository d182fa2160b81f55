import { tzOffset } from "@date-fns/tz";
import { addDays } from "date-fns/addDays";
import { addMinutes } from "date-fns/addMinutes";
import { isValid } from "date-fns/isValid";
import { parseISO } from "date-fns/parseISO";
import { subDays } from "date-fns/subDays";
import { subMinutes } from "date-fns/subMinutes";

const zoned = /(Z|[+-]\d{2}:?\d{2})$/;

/**
 * The instant of `YYYY-MM-DDTHH:mm` (also with a space, or seconds) on the clocks of the time zone, or of a text that names
 * its zone itself; null for an invalid day or hour.
 *
 * When clocks are set forward, a skipped time moves by the jump (02:30 becomes 03:30). When they are set back, a time that
 * occurs twice means the first, so that nothing is sent late.
 */
export function instantOf(text: string, timeZone: string): Date | null {
  const iso = text.replace(" ", "T");
  if (zoned.test(iso)) return validOrNull(parseISO(iso));
  const asUtc = validOrNull(parseISO(`${iso}Z`));
  if (asUtc === null) return null;
  // The zone's offsets before and after a possible change on that day.
  const before = subMinutes(asUtc, tzOffset(timeZone, subDays(asUtc, 1)));
  const after = subMinutes(asUtc, tzOffset(timeZone, addDays(asUtc, 1)));
  return [before, after].find((instant) => isShownAs(instant, asUtc, timeZone)) ?? before;
}

/** What the clocks of the time zone show at the instant: `YYYY-MM-DDTHH:mm:ss.SSS`. */
export function localTextOf(instant: Date, timeZone: string): string {
  return addMinutes(instant, tzOffset(timeZone, instant)).toISOString().slice(0, -1);
}

/** Whether the zone's clocks show this local time at that instant. */
function isShownAs(instant: Date, localAsUtc: Date, timeZone: string): boolean {
  return subMinutes(localAsUtc, tzOffset(timeZone, instant)).getTime() === instant.getTime();
}

function validOrNull(moment: Date): Date | null {
  return isValid(moment) ? moment : null;
}
