import type { Child } from "./child.ts";
import type { ReadResult, ReadWish } from "./readers.ts";
import type { Transaction } from "./recorder.ts";
import { recordTransactions } from "./recorder.ts";

/** A list of tickets that the product was asked for once, and what it sent to the database for it. */
export type ListRead = {
  url: string;
  token: string;
  /** Who is it? */
  authentication: Transaction;
  list: Transaction;
  /** Rows of the page, and of all pages. */
  rows: number;
  count: number;
};

/** Asks once for a list of tickets, and notes what the product sent to the database. */
export async function readList(url: string, token: string): Promise<ListRead> {
  const seen: Transaction[] = [];
  const stop = recordTransactions((transaction) => seen.push(transaction));
  const reply = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  const body: unknown = await reply.json();
  stop();
  const isPage =
    reply.ok &&
    typeof body === "object" &&
    body !== null &&
    "tickets" in body &&
    Array.isArray(body.tickets) &&
    "count" in body;
  if (!isPage) throw new Error(`${url} answered ${reply.status} and no page`);
  const authentication = seen.find(({ statements }) => statements[0]?.name === "rights");
  const list = seen.find(({ statements }) =>
    statements.some(({ text }) => text.includes("from tickets")),
  );
  if (!authentication || !list) throw new Error("the page's statements were not seen");
  const rows = Array.isArray(body.tickets) ? body.tickets.length : 0;
  return { url, token, authentication, list, rows, count: Number(body.count) };
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
