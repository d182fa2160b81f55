import { dayKey } from "../../i18n/format.ts";

const DAY_MS = 86_400_000;

/** Days back from today that a filter of time offers. */
export const periods = [7, 30, 90, 365] as const;

/** The filters of the address book; days count back from today. */
export type ContactFilter = Readonly<{
  tags?: readonly number[];
  connections?: readonly number[];
  /** Created within these days. */
  created?: number;
  /** The last message came or went within these days; negative: longer ago. */
  lastContact?: number;
  optedOut?: true;
  unnamed?: true;
}>;

/** Reads the filter of an address; what does not belong there is left out. */
export function readFilter(text: string): ContactFilter {
  const given = fieldsOf(text);
  const [tags, connections] = [ids(given.get("tags")), ids(given.get("connections"))];
  const [created, lastContact] = [days(given.get("created")), days(given.get("lastContact"))];
  return {
    ...(tags.length === 0 ? {} : { tags }),
    ...(connections.length === 0 ? {} : { connections }),
    ...(created === null || created < 0 ? {} : { created }),
    ...(lastContact === null ? {} : { lastContact }),
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

/** The filter as the server is asked. */
export function wireFilter(filter: ContactFilter, nowMs: number) {
  const { tags = [], connections = [], created, lastContact, optedOut, unnamed } = filter;
  const dayBefore = (count: number): string =>
    dayKey(new Date(nowMs - count * DAY_MS).toISOString());
  return {
    ...(tags.length === 0 ? {} : { tags: JSON.stringify(tags) }),
    ...(connections.length === 0 ? {} : { whatsappIds: JSON.stringify(connections) }),
    ...(created === undefined ? {} : { dateStart: dayBefore(created) }),
    ...(lastContact !== undefined && lastContact > 0 ? { lastStart: dayBefore(lastContact) } : {}),
    ...(lastContact !== undefined && lastContact < 0 ? { lastEnd: dayBefore(-lastContact) } : {}),
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

function days(value: unknown): number | null {
  return typeof value === "number" && periods.some((one) => one === Math.abs(value)) ? value : null;
}
