import type { ReportState, ReportTime } from "@balcao/contract";
import { dayKey } from "../../i18n/format.ts";
import { nowIso } from "../../ui/clock.ts";

/** Days back from today that a period offers (spec 9). */
export const periods = [3, 7, 15, 30, 60, 90] as const;
const DAYS_START = 7;

/** Ids of a filter; null stands for "without one". */
export type Ids = readonly (number | null)[];

/** The period in days that end today, or as dates `YYYY-MM-DD`. Empty: nobody has chosen one. */
export type Period = Readonly<{ days?: number; dateFrom?: string; dateTo?: string }>;

/** What figures are narrowed to beside the period. */
export type Choice = Readonly<{
  queueIds?: Ids;
  userIds?: Ids;
  whatsappIds?: Ids;
  tagIds?: readonly number[];
}>;
export const choices = ["queueIds", "userIds", "tagIds", "whatsappIds"] as const;
export type ChoiceName = (typeof choices)[number];

export type FiguresFilter = Period & Choice;

/** A report's filter: the dashboard's, and what one of its numbers is about. */
export type ReportFilter = FiguresFilter &
  Readonly<{
    by?: "resolved";
    state?: Exclude<ReportState, "all">;
    time?: ReportTime;
    rates?: readonly number[];
    /** Minutes. */
    waitOver?: number;
    /** 0 is Monday. */
    weekday?: number;
    hour?: number;
    contactId?: number;
    protocol?: number;
  }>;

export const reportStateNames = ["resolved", "running", "reopened", "new", "rated"] as const;
const timeNames = ["wait", "firstAnswer", "support"] as const;

const ID_MAX = 2_147_483_647;
const DAYS_MAX = 3_653;
const PROTOCOL_MAX = 999_999_999;
const IDS_MAX = 200;
const RATE_MAX = 3;

/** The filter of an address; what does not belong there is left out. Without a period it is the last days. */
export function readFilter(text: string): ReportFilter {
  const given = fieldsOf(text);
  const period = {
    ...whole("days", given, 1, DAYS_MAX),
    ...day("dateFrom", given),
    ...day("dateTo", given),
  };
  const known = period.days === undefined && period.dateFrom && period.dateTo ? period : null;
  return {
    ...(known ?? { days: period.days ?? DAYS_START }),
    ...list("queueIds", given),
    ...list("userIds", given),
    ...list("whatsappIds", given),
    ...numbers("tagIds", given, ID_MAX),
    ...(given.get("by") === "resolved" ? { by: "resolved" } : {}),
    ...oneOf("state", reportStateNames, given),
    ...oneOf("time", timeNames, given),
    ...numbers("rates", given, RATE_MAX),
    ...whole("waitOver", given, 1, 100_000),
    ...whole("weekday", given, 0, 6),
    ...whole("hour", given, 0, 23),
    ...whole("contactId", given, 1, ID_MAX),
    ...whole("protocol", given, 1, PROTOCOL_MAX),
  };
}

/** The part of a filter that the dashboard and the wall have. */
export function figuresOf(filter: ReportFilter): FiguresFilter {
  return { ...periodOf(filter), ...choiceOf(filter) };
}

export function periodOf({ days, dateFrom, dateTo }: Period): Period {
  if (days !== undefined) return { days };
  return {
    ...(dateFrom === undefined ? {} : { dateFrom }),
    ...(dateTo === undefined ? {} : { dateTo }),
  };
}

export function choiceOf(filter: Choice): Choice {
  return Object.fromEntries(
    choices.flatMap((name) => ((filter[name]?.length ?? 0) > 0 ? [[name, filter[name]]] : [])),
  );
}

/** All but queue, user, tag and connection. */
export function withoutChoice(filter: ReportFilter): ReportFilter {
  const { queueIds: _q, userIds: _u, tagIds: _t, whatsappIds: _w, ...rest } = filter;
  return rest;
}

/** The filter as an address has it; "" for none but the period that is there without any. */
export function writeFilter(filter: ReportFilter): string {
  const { days, ...others } = filter;
  const fields = Object.entries(days === DAYS_START ? others : filter).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return fields.length === 0 ? "" : JSON.stringify(Object.fromEntries(fields));
}

/** The address of a page with this filter: `/reports`, `/wall` or `/`. */
export function addressWith(path: string, filter: ReportFilter): string {
  const text = writeFilter(filter);
  return text === "" ? path : `${path}?${new URLSearchParams({ filter: text })}`;
}

/** The filter as the calls of the server take it. */
export function wireFilter(filter: ReportFilter) {
  const { days, dateFrom, dateTo, by, state, time, rates, waitOver, weekday, hour } = filter;
  const { contactId, protocol } = filter;
  const text = (value: number | undefined): string | undefined =>
    value === undefined ? undefined : String(value);
  return {
    ...{ days: text(days), dateFrom, dateTo, ...wireChoice(filter) },
    ...{ by, state, time, rates: idText(rates), waitOver: text(waitOver) },
    ...{ weekday: text(weekday), hour: text(hour), contactId, protocol: text(protocol) },
  };
}

export function wireChoice({ queueIds, userIds, whatsappIds, tagIds }: Choice) {
  return {
    ...{ queueIds: idText(queueIds), userIds: idText(userIds) },
    ...{ whatsappIds: idText(whatsappIds), tagIds: idText(tagIds) },
  };
}

function idText(ids: Ids | undefined): string | undefined {
  return ids === undefined || ids.length === 0 ? undefined : JSON.stringify(ids);
}

/** The first of this month to today, which dates start with (spec 9). */
export function monthUntilNow(): { dateFrom: string; dateTo: string } {
  const today = dayKey(nowIso());
  return { dateFrom: `${today.slice(0, 8)}01`, dateTo: today };
}

/** Why a period cannot be read; null if it can. */
export function periodProblem({ days, dateFrom, dateTo }: Period): "missing" | "reversed" | null {
  if (days !== undefined) return null;
  if (!dateFrom || !dateTo) return "missing";
  return dateFrom > dateTo ? "reversed" : null;
}

const LONG_DAYS = 366;
const DAY_MS = 86_400_000;

/** The days of a period, both ends included. */
export function daysOf({ days, dateFrom = "", dateTo = "" }: Period): number {
  return days ?? Math.round((Date.parse(dateTo) - Date.parse(dateFrom)) / DAY_MS) + 1;
}

/** True for a period whose figures may take some seconds. */
export const isLong = (period: Period): boolean => daysOf(period) > LONG_DAYS;

type Fields = ReadonlyMap<string, unknown>;

function fieldsOf(text: string): Fields {
  try {
    const given: unknown = JSON.parse(text === "" ? "{}" : text);
    return new Map(typeof given === "object" && given !== null ? Object.entries(given) : []);
  } catch {
    return new Map(); // somebody has changed the address by hand
  }
}

type Field<Name extends string, Value> = Partial<Record<Name, Value>>;

function whole<Name extends string>(
  name: Name,
  given: Fields,
  least: number,
  most: number,
): Field<Name, number> {
  const value = given.get(name);
  const isValid = Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
  return isValid ? field(name, Number(value)) : {};
}

function day<Name extends string>(name: Name, given: Fields): Field<Name, string> {
  const value = given.get(name);
  const isDay = typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value);
  return isDay && !Number.isNaN(Date.parse(value)) ? field(name, value) : {};
}

function oneOf<Name extends string, Value extends string>(
  name: Name,
  values: readonly Value[],
  given: Fields,
): Field<Name, Value> {
  const found = values.find((value) => value === given.get(name));
  return found === undefined ? {} : field(name, found);
}

/** A list of ids, and of nulls. */
function list<Name extends string>(name: Name, given: Fields): Field<Name, (number | null)[]> {
  const ids = valuesOf(name, given).filter((one) => one === null || isUpTo(one, ID_MAX));
  return ids.length === 0 ? {} : field(name, [...new Set(ids)].slice(0, IDS_MAX));
}

function numbers<Name extends string>(
  name: Name,
  given: Fields,
  most: number,
): Field<Name, number[]> {
  const found = valuesOf(name, given).filter((one) => isUpTo(one, most));
  return found.length === 0 ? {} : field(name, [...new Set(found)].slice(0, IDS_MAX));
}

function valuesOf(name: string, given: Fields): readonly unknown[] {
  const value = given.get(name);
  return Array.isArray(value) ? value : [];
}

function isUpTo(value: unknown, most: number): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= most;
}

/** One field under its name: TypeScript does not follow computed names. */
function field<Name extends string, Value>(name: Name, value: Value): Field<Name, Value> {
  return { [name]: value } as Field<Name, Value>;
}
