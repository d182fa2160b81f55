import { DrizzleQueryError } from "drizzle-orm/errors";
import { pino } from "pino";

export type Logger = Pick<
  pino.Logger,
  "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent" | "child" | "level"
>;

export type LogOptions = { level: string; pretty: boolean };

/**
 * Creates the process's logger; each subsystem has a child (`log.child({ subsystem: "http" })`). A log call must not contain
 * secrets; the paths below are a second protection.
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

export type SafeError = {
  type: string;
  message: string;
  stack: string;
  code?: string;
  constraint?: string;
  cause?: SafeError;
};

/**
 * An error for the log: type, message and stack, without values. Database errors carry statement parameters and rows, which
 * include message texts and password hashes.
 */
export function safeError(error: unknown): SafeError {
  if (!(error instanceof Error)) return { type: typeof error, message: "not an error", stack: "" };
  return {
    type: error.name,
    message: error instanceof DrizzleQueryError ? `Failed query: ${error.query}` : error.message,
    stack: framesOf(error),
    ...textField(error, "code"),
    ...textField(error, "constraint"),
    ...(error.cause === undefined ? {} : { cause: safeError(error.cause) }),
  };
}

/** The stack repeats the message above its frames. */
function framesOf(error: Error): string {
  return (error.stack ?? "")
    .split("\n")
    .filter((line) => line.startsWith("    at "))
    .join("\n");
}

function textField<K extends "code" | "constraint">(error: Error, name: K): { [P in K]?: string } {
  const value: unknown = Reflect.get(error, name);
  const field: { [P in K]?: string } = {};
  if (typeof value === "string") field[name] = value;
  return field;
}
