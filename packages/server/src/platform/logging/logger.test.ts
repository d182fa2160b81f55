import { DrizzleQueryError } from "drizzle-orm/errors";
import { expect, test } from "vitest";
import { safeError } from "./logger.ts";

test("a failed statement is logged without its parameters and rows", () => {
  const cause = Object.assign(new Error("duplicate key value"), {
    code: "23505",
    constraint: "users_email_unique",
    detail: "Key (email)=(ana@empresa.example) already exists.",
  });
  const error = new DrizzleQueryError("insert into users values ($1)", ["$argon2id$hash"], cause);
  const logged = safeError(error);
  expect(logged).toMatchObject({
    message: "Failed query: insert into users values ($1)",
    cause: { message: "duplicate key value", code: "23505", constraint: "users_email_unique" },
  });
  expect(logged.stack).toContain("    at ");
  expect(JSON.stringify(logged)).not.toMatch(/argon2id|ana@empresa/);
});

test("a thrown value that is no error is not printed", () => {
  expect(safeError("segredo")).toEqual({ type: "string", message: "not an error", stack: "" });
});
