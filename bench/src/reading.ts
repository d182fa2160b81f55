import type { Child } from "./child.ts";
import type { ReadResult, ReadWish } from "./readers.ts";
import type { Transaction } from "./recorder.ts";
import { recordTransactions } from "./recorder.ts";

/** A list that the product was asked for once, and what it sent to the database for it. */
export type ListRead = {
  url: string;
  token: string;
  /** The transaction that authenticates the request. */
  authentication: Transaction;
  list: Transaction;
  /** Rows of the page, and of all pages. */
  rows: number;
  count: number;
};

/** Asks once for a list, and notes what the product sent to the database. */
export async function readList(url: string, token: string): Promise<ListRead> {
  const seen: Transaction[] = [];
  const stop = recordTransactions((transaction) => seen.push(transaction));
  const reply = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  const body: unknown = await reply.json();
  stop();
  const list = reply.ok ? listIn(body) : null;
  if (list === null) throw new Error(`${url} answered ${reply.status} and no list`);
  const authentication = seen.find(({ statements }) => statements[0]?.name === "rights");
  const ofCompanies = seen.filter(({ begin }) => begin?.includes("app.company_id"));
  // Background work of the product at the same moment locks, writes, or answers fewer rows.
  const [work] = ofCompanies.filter(onlyReads).toSorted((a, b) => rowsOf(b) - rowsOf(a));
  if (!authentication || !work) throw new Error("the list's statements were not seen");
  return { url, token, authentication, list: work, ...list };
}

function onlyReads({ statements }: Transaction): boolean {
  return statements.every(
    ({ text }) =>
      /^\s*(select|with)\b/.test(text) && !/\bfor (no key )?(key )?(update|share)\b/.test(text),
  );
}

function rowsOf({ statements }: Transaction): number {
  return statements.reduce((total, { rows }) => total + rows.length, 0);
}

/** Rows of the page and of all pages; null for what is no list. */
function listIn(body: unknown): { rows: number; count: number } | null {
  if (Array.isArray(body)) return { rows: body.length, count: body.length };
  if (typeof body !== "object" || body === null || !("count" in body)) return null;
  const pages = Object.entries(body).filter(([name]) => /^(tickets|messages|contacts)$/.test(name));
  const [page] = pages.map(([, rows]) => rows);
  return Array.isArray(page) ? { rows: page.length, count: Number(body.count) } : null;
}

export type Pace = { readers: number; forMs: number };

/** Does the same again and again, as many at the same time as there are readers; answers how long each took. */
export async function repeat(
  { readers, forMs }: Pace,
  work: () => Promise<unknown>,
): Promise<number[]> {
  const latenciesMs: number[] = [];
  const endMs = performance.now() + forMs;
  const reader = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const beginMs = performance.now();
      await work();
      latenciesMs.push(performance.now() - beginMs);
    }
  };
  await Promise.all(Array.from({ length: readers }, reader));
  return latenciesMs;
}

/** The same over HTTP, by another process. */
export async function readAll(
  child: Child,
  { url, token }: Pick<ListRead, "url" | "token">,
  pace: Pace,
): Promise<number[]> {
  const wish: ReadWish = { url, token, ...pace };
  const result = await child.ask<ReadResult>(wish);
  if ("error" in result) throw new Error(result.error);
  return result.latenciesMs;
}
