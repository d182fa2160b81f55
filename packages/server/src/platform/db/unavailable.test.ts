import { DrizzleQueryError } from "drizzle-orm/errors";
import pg from "pg";
import { expect, test } from "vitest";
import { isUnavailable } from "./database.ts";

function databaseError(code: string): Error {
  return Object.assign(new pg.DatabaseError("failed", 6, "error"), { code });
}
const withCode = (code: string) => Object.assign(new Error("failed"), { code });

test.each([
  ["disk full", databaseError("53100")],
  ["too many connections", databaseError("53300")],
  ["administrator's shutdown", databaseError("57P01")],
  ["starting up", databaseError("57P03")],
  ["connection failure", databaseError("08006")],
  ["a cancelled statement", databaseError("57014")],
  ["an input/output error", databaseError("58030")],
  ["read-only after a failover", databaseError("25006")],
  ["a refused connection", withCode("ECONNREFUSED")],
  ["several refused addresses", new AggregateError([withCode("ECONNREFUSED")], "")],
  ["our own full disk", withCode("ENOSPC")],
  ["a pool without a free connection", new Error("timeout exceeded when trying to connect")],
  ["a connection that broke", new Error("Connection terminated unexpectedly")],
  ["one wrapped by the query builder", new DrizzleQueryError("q", [], databaseError("57P01"))],
])("%s means not now", (_name, error) => {
  expect(isUnavailable(error)).toBe(true);
});

test.each([
  ["a wrong statement", databaseError("42601")],
  ["a broken rule", databaseError("23505")],
  ["a defect", new TypeError("x is not a function")],
  ["a wrapped defect", new DrizzleQueryError("q", [], databaseError("22003"))],
  ["a framework error", withCode("FST_ERR_VALIDATION")],
  ["no error", "57P01"],
])("%s is another matter", (_name, error) => {
  expect(isUnavailable(error)).toBe(false);
});
