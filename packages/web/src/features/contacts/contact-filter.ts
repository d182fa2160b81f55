import type { ContactFilter as WireFilter } from "@balcao/contract";
import { dayKey } from "../../i18n/format.ts";

const DAY_MS = 86_400_000;

/** Days back from today that a filter of time offers. */
export const periods = [7, 30, 90, 365] as const;

type Ids = readonly number[];

/** The filters of the address book, as the server has them (`contactFilter`). */
export type ContactFilter = Readonly<
  Partial<Pick<WireFilter, "createdWithin" | "contactedWithin" | "contactedBefore">> & {
    tags?: Ids;
    whatsappIds?: Ids;
    optedOut?: true;
    unnamed?: true;
  }
>;

/** Reads the filter of an address; what does not belong there is left out. */
export function readFilter(text: string): ContactFilter {
  const given = fieldsOf(text);
  const [tags, whatsappIds] = [ids(given.get("tags")), ids(given.get("whatsappIds"))];
  return {
    ...(tags.length === 0 ? {} : { tags }),
    ...(whatsappIds.length === 0 ? {} : { whatsappIds }),
    ...days("createdWithin", given),
    ...days("contactedWithin", given),
    ...days("contactedBefore", given),
    ...(given.get("optedOut") === true ? { optedOut: true } : {}),
    ...(given.get("unnamed") === true ? { unnamed: true } : {}),
  };
}

/** The filter as the address has it; "" for none. */
export function writeFilter(filter: ContactFilter): string {
  const fields = Object.entries(filter).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return fields.length === 0 ? "" : JSON.stringify(Object.fromEntries(fields));
}

/** The filter as the list of contacts is asked for. */
export function wireFilter(filter: ContactFilter, nowMs: number) {
  const { tags = [], whatsappIds = [], optedOut, unnamed } = filter;
  const { createdWithin, contactedWithin, contactedBefore } = filter;
  const dayBefore = (count: number): string =>
    dayKey(new Date(nowMs - count * DAY_MS).toISOString());
  return {
    ...(tags.length === 0 ? {} : { tags: JSON.stringify(tags) }),
    ...(whatsappIds.length === 0 ? {} : { whatsappIds: JSON.stringify(whatsappIds) }),
    ...(createdWithin === undefined ? {} : { dateStart: dayBefore(createdWithin) }),
    ...(contactedWithin === undefined ? {} : { lastStart: dayBefore(contactedWithin) }),
    ...(contactedBefore === undefined ? {} : { lastEnd: dayBefore(contactedBefore) }),
    ...(optedOut ? { optedOut: "true" as const } : {}),
    ...(unnamed ? { unnamed: "true" as const } : {}),
  };
}

function fieldsOf(text: string): ReadonlyMap<string, unknown> {
  try {
    const given: unknown = JSON.parse(text === "" ? "{}" : text);
    return new Map(typeof given === "object" && given !== null ? Object.entries(given) : []);
  } catch {
    return new Map(); // somebody has changed the address by hand
  }
}

function ids(value: unknown): number[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.filter((one): one is number => Number.isInteger(one) && Number(one) > 0);
}

function days<Name extends string>(
  name: Name,
  given: ReadonlyMap<string, unknown>,
): Partial<Record<Name, number>> {
  const value = given.get(name);
  if (!periods.some((one) => one === value)) return {};
  return { [name]: value } as Partial<Record<Name, number>>; // a single, known name
}
