import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";

/** A request's body is here within this, except the files of an upload that somebody reads (`upload.ts`). */
const BODY_MS = 120_000;

/** Node's own limit, which cannot be told per call: the largest file over a line of 1 Mbit/s. */
export const LONGEST_REQUEST_MS = 45 * 60_000;

const deadlines = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/** Cuts off who sends his body too slowly, whatever became of his request. */
export function limitArrival(app: FastifyInstance): void {
  app.addHook("onRequest", async ({ raw }) => {
    if (raw.complete || !hasBody(raw)) return;
    raw.once("close", () => clearTimeout(deadlines.get(raw)));
    setDeadline(raw, BODY_MS);
  });
}

/** Gives the rest of a request another time limit from now on. */
export function setDeadline(raw: IncomingMessage, delayMs: number): void {
  clearTimeout(deadlines.get(raw));
  if (raw.closed) return;
  deadlines.set(raw, setTimeout(() => cutOff(raw), delayMs).unref());
}

function cutOff(raw: IncomingMessage): void {
  if (!raw.complete) raw.destroy();
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
