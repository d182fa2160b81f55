import { setTimeout as delay } from "node:timers/promises";
import type { ErrorCode } from "@balcao/contract";
import type { Socket } from "socket.io";
import type { Authenticator } from "../authenticator.ts";
import type { UserCtx } from "../context.ts";
import { DomainError } from "../context.ts";
import { isUnavailable } from "../db/unavailable.ts";
import type { Logger } from "../logging/logger.ts";
import type { IdSource } from "../sources.ts";

export type HandshakeDeps = { authenticator: Authenticator; ids: IdSource; log: Logger };

type Admitted = { ctx: UserCtx; tokenVersion: number };
type Next = (error?: Error & { data?: unknown }) => void;

const UNAVAILABLE_TRIES = 10;
const UNAVAILABLE_RETRY_MS = 1_000;

/**
 * Lets clients in by their access token, from `auth.token` or, as clients of the family send it, from the query. A
 * refusal is a connect_error with the code in message and `data.code`, after which the client does not try again by
 * itself; so while the database is away nobody is refused: the client waits, then its transport is dropped.
 */
export function createHandshake({ authenticator, ids, log }: HandshakeDeps) {
  const admitted = new WeakMap<Socket, Admitted>();

  async function prove(socket: Socket): Promise<Admitted> {
    const token = tokenOf(socket);
    if (token === null) throw new DomainError("ERR_SESSION_EXPIRED");
    const identity = await authenticator.identify(token);
    if (identity === null) throw new DomainError("ERR_TOKEN_EXPIRED");
    const ctx = await authenticator.authorise(identity, null, ids.uuid());
    return { ctx, tokenVersion: identity.tokenVersion };
  }

  async function proveWhenAvailable(socket: Socket): Promise<Admitted | null> {
    for (let attempt = 1; attempt <= UNAVAILABLE_TRIES && isOpen(socket); attempt += 1) {
      try {
        return await prove(socket);
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        if (attempt === 1) log.warn({ err: error }, "sockets wait for the database");
        await delay(UNAVAILABLE_RETRY_MS, undefined, { ref: false });
      }
    }
    return null;
  }

  return {
    admit(socket: Socket, next: Next): void {
      proveWhenAvailable(socket).then(
        (result) => {
          if (result === null) {
            socket.conn.close();
            return;
          }
          admitted.set(socket, result);
          next();
        },
        (error: unknown) => {
          if (!(error instanceof DomainError)) log.error({ err: error }, "handshake failed");
          next(refusal(error instanceof DomainError ? error.code : "ERR_INTERNAL"));
        },
      );
    },
    /** What `admit` found out about a socket it let in. */
    take(socket: Socket): Admitted {
      const result = admitted.get(socket);
      if (!result) throw new Error("a socket connected without a handshake");
      admitted.delete(socket);
      return result;
    },
  };
}

function isOpen(socket: Socket): boolean {
  return socket.conn.readyState === "open";
}

function refusal(code: ErrorCode): Error & { data: { code: ErrorCode } } {
  return Object.assign(new Error(code), { data: { code } });
}

function tokenOf(socket: Socket): string | null {
  const { auth, query } = socket.handshake;
  for (const token of [auth["token"], query["token"]]) {
    if (typeof token === "string" && token !== "") return token;
  }
  return null;
}
