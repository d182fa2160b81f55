import type { BillingFault } from "@balcao/contract";
import { reaisOf } from "@balcao/contract";
import { z } from "zod";
import type { GuardedFetch } from "../../../platform/http/guarded-fetch.ts";
import { AnswerTooLarge, RefusedAddress } from "../../../platform/http/guarded-fetch.ts";

/** What a system is reached with. */
export type Reach = {
  fetch: GuardedFetch;
  /** Time limit of one call. */
  callMs: number;
};

/** A customer of the provider. */
export type FoundCustomer = {
  name: string;
  /** The open bill that is due first; null: nothing is to be paid. */
  bill: Bill | null;
  /** The customer's connection is blocked, and this opens it. */
  unblock: ((signal: AbortSignal) => Promise<Unblocked>) | null;
};

export type Bill = {
  /** What the system calls it; "" where the customer is not told. */
  number: string;
  value: number;
  /** As the system writes it. */
  dueDate: string;
  description: string;
  /** A web address, or "". */
  link: string;
  /** The digits to type or copy; "" without. */
  line: string;
  /** The code of a PIX payment; "" without. */
  pix: string;
};

/** `words`: the system's own, for the customer. `isOnline`: null where it does not say. */
export type Unblocked =
  | { isDone: true; isOnline: boolean | null }
  | { isDone: false; words: string };

/** Null: the system does not know the number. All throw `SystemFailed`, or the reason of the signal. */
export type Find = (document: string, signal: AbortSignal) => Promise<FoundCustomer | null>;

/** A billing system with the access data of a company. */
export type BillingAccess = {
  findBill: Find;
  /** Null: it cannot open a connection on trust. */
  findBlocked: Find | null;
  /** Whether it takes the access data. */
  check(signal: AbortSignal): Promise<void>;
};

/** A system did not answer as it should. Carries neither addresses nor numbers of customers. */
export class SystemFailed extends Error {
  override readonly name = "SystemFailed";
  readonly fault: BillingFault;
  readonly status: number | null;

  constructor(fault: BillingFault, status: number | null = null) {
    super(status === null ? fault : `${fault} ${status}`);
    this.fault = fault;
    this.status = status;
  }
}

const MAX_BYTES = 1_000_000;

type Call = {
  url: string;
  method?: "GET" | "POST";
  headers: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  maxBytes?: number;
};

/** The text of a successful answer. */
export async function callSystem(
  { fetch, callMs }: Reach,
  { url, method = "GET", headers, body, maxBytes = MAX_BYTES }: Call,
  signal: AbortSignal,
): Promise<string> {
  try {
    const answer = await fetch(url, {
      ...{ method, maxBytes, signal: AbortSignal.any([signal, AbortSignal.timeout(callMs)]) },
      ...(body === undefined
        ? { headers }
        : {
            headers: { ...headers, "content-type": "application/json" },
            body: JSON.stringify(body),
          }),
    });
    if (answer.ok) return await answer.text();
    await answer.body?.cancel();
    const { status } = answer;
    throw new SystemFailed(status === 401 || status === 403 ? "refused" : "status", status);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof SystemFailed ? error : new SystemFailed(faultOf(error));
  }
}

function faultOf(error: unknown): BillingFault {
  if (error instanceof RefusedAddress) return "refused-address";
  if (error instanceof AnswerTooLarge) return "too-large";
  return error instanceof Error && error.name === "TimeoutError" ? "no-answer" : "unreachable";
}

/** The JSON of an answer in its form. */
export function readAnswer<T>(form: z.ZodType<T>, text: string): T {
  const read = form.safeParse(jsonOf(text));
  // The reason would say what a customer has: it is not kept.
  if (!read.success) throw new SystemFailed("answer");
  return read.data;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What the customer's answer can do without: null where the system has not got it. */
export async function optional<T>(asked: Promise<T>, signal: AbortSignal): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (signal.aborted || !(error instanceof SystemFailed)) throw error;
    return null;
  }
}

export const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;

// Fields of answers: systems write numbers as texts, and leave out what is empty.

export const word = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((value) => String(value ?? "").trim());
/** A text that a customer reads. */
export const words = (max: number) => word.transform((value) => value.slice(0, max));
export const reais = z.union([z.string(), z.number()]).transform((value, context) => {
  const text = String(value);
  const amount = /^\d+(\.\d+)?$/.test(text) ? Number(text) : reaisOf(text);
  if (amount !== null) return amount;
  context.addIssue({ code: "custom", message: "no amount" });
  return z.NEVER;
});
