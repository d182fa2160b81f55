import { pino } from "pino";
import { safeError } from "./safe-error.ts";

export type Logger = Pick<
  pino.Logger,
  "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent" | "child" | "level"
>;

export type LogOptions = { level: string; pretty: boolean };

/**
 * The process's logger; one child per subsystem (`log.child({ subsystem: "http" })`). Secrets never belong into a log
 * call; the paths below are a second net.
 */
export function createLogger(options: LogOptions): Logger {
  return pino({
    level: options.level,
    serializers: { err: safeError },
    redact: {
      paths: [
        "password",
        "*.password",
        "token",
        "*.token",
        "authorization",
        "*.authorization",
        "cookie",
        "*.cookie",
        "req.headers.authorization",
        "req.headers.cookie",
        "body",
        "*.body",
      ],
      censor: "[hidden]",
    },
    ...(options.pretty ? { transport: { target: "pino-pretty" } } : {}),
  });
}
