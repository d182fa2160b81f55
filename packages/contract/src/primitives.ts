import { z } from "zod";

/** Text without NUL (PostgreSQL cannot store it), at most `max` UTF-16 units. */
export function text(max: number): z.ZodString {
  return z
    .string()
    .max(max)
    .refine((value) => !value.includes("\u0000"), { message: "must not contain NUL" });
}

/** ISO 8601 UTC with milliseconds and `Z` (wire-contract 1, "Dates"). */
export const isoDate = z.iso.datetime({ precision: 3 });

/** Boolean of a query string: the texts `true` and `false`; absent is false. */
export const queryBoolean = z
  .enum(["true", "false", ""])
  .default("false")
  .transform((value) => value === "true");

/** Like `queryBoolean`, and undefined when absent or empty. */
export const queryChoice = z
  .enum(["true", "false", ""])
  .optional()
  .transform((value) => (value === undefined || value === "" ? undefined : value === "true"));

/** A whole number from 1 to `max`; undefined when absent or empty. */
export const queryCount = (max: number) =>
  z
    .union([z.literal(""), z.string().regex(/^\d{1,9}$/)])
    .optional()
    .transform((value) => (value === undefined || value === "" ? undefined : Number(value)))
    .pipe(z.number().int().min(1).max(max).optional());

/** A calendar day `YYYY-MM-DD` in the company's time zone; empty is absent. */
export const queryDay = z
  .union([z.iso.date(), z.literal("")])
  .optional()
  .transform((value) => (value === "" ? undefined : value));

/** 1-based page number as text, default 1. */
export const pageNumber = z
  .union([z.string().regex(/^\d{0,6}$/), z.number().int().nonnegative().max(999_999)])
  .default("1")
  .transform((value) => Math.max(1, Number(value)));

/** Search text of a list, lower-cased by the client; matched as a substring. */
export const searchParam = text(200)
  .default("")
  .transform((value) => value.trim());

/** A JSON list in a query value (`[1,2]`); malformed JSON is a 400. Absent or empty text is undefined. */
export function queryJsonList<T extends z.ZodType>(
  item: T,
): z.ZodType<z.output<T>[] | undefined, string | undefined> {
  return z
    .string()
    .max(4_000)
    .optional()
    .transform((value, context): unknown => {
      if (value === undefined || value === "") return undefined;
      try {
        return JSON.parse(value);
      } catch {
        context.addIssue({ code: "custom", message: "must be a JSON list" });
        return z.NEVER;
      }
    })
    .pipe(z.array(item).max(500).optional());
}

/** A text field of a form that clients send once or with every file: the last one counts. */
export function repeatable<T extends z.ZodType>(item: T) {
  return z.preprocess((value) => (Array.isArray(value) ? value.at(-1) : value), item);
}

/** The kinds of spreadsheets that are sent, and the languages of their titles. */
export const sheetFormats = ["xlsx", "csv"] as const;
export type SheetFormat = (typeof sheetFormats)[number];
export const sheetLanguages = ["pt", "en", "es"] as const;
export type SheetLanguage = (typeof sheetLanguages)[number];

/** How a list is to be sent as a spreadsheet. */
export const sheetWish = z.object({
  format: z.enum(sheetFormats),
  language: z.enum(sheetLanguages).default("pt"),
});

/** The reply of calls that older clients expect to be without content. */
export const emptyReply = z.undefined();

export const messageReply = z.object({ message: z.string() });

/** An id that may be none: null, or the empty text of form inputs. */
export const orNone = <T extends z.ZodType>(id: T) =>
  z
    .union([id, z.null(), z.literal("")])
    .transform((value): z.output<T> | null => (value === "" ? null : value));
