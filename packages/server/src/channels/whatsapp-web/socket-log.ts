import type { Logger } from "../../platform/logging/logger.ts";

type Words = (facts: unknown, message?: string) => void;
/** The logger that the library wants. */
export type SocketLog = {
  level: string;
  child: () => SocketLog;
  trace: Words;
  debug: Words;
  info: Words;
  warn: Words;
  error: Words;
};

const nothing: Words = () => undefined;

export const silentLog: SocketLog = {
  level: "silent",
  child: () => silentLog,
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
};

/**
 * The library's warnings, without what it gives along: that is whole stanzas, messages and keys. For whoever looks for
 * the cause of a trouble.
 */
export function socketLog(log: Logger, connectionId: number): SocketLog {
  const said: Words = (facts, message) => {
    const text = message ?? (typeof facts === "string" ? facts : "");
    log.debug({ connectionId, said: text.slice(0, 200) }, "the WhatsApp library says something");
  };
  const self: SocketLog = {
    ...silentLog,
    level: "warn",
    child: () => self,
    warn: said,
    error: said,
  };
  return self;
}
