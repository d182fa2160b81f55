import { DrizzleQueryError } from "drizzle-orm/errors";

export type SafeError = {
  type: string;
  message: string;
  stack: string;
  code?: string;
  constraint?: string;
  cause?: SafeError;
};

/**
 * An error as it may stand in a log: what happened and where, without the values it happened to. Database errors carry
 * statement parameters and rows, which are message texts and password hashes.
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
