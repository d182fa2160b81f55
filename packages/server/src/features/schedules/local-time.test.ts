import { expect, test } from "vitest";
import { instantOf } from "./local-time.ts";

test.for([
  ["2026-07-01T10:00", "America/Sao_Paulo", "2026-07-01T13:00:00.000Z"],
  ["2026-07-01 10:00", "America/Sao_Paulo", "2026-07-01T13:00:00.000Z"],
  ["2026-07-01T10:00:30.5", "America/Sao_Paulo", "2026-07-01T13:00:30.500Z"],
  ["2026-07-01T10:00", "UTC", "2026-07-01T10:00:00.000Z"],
  ["2026-07-01T10:00", "Asia/Kolkata", "2026-07-01T04:30:00.000Z"],
  ["2026-01-01T00:00", "Pacific/Auckland", "2025-12-31T11:00:00.000Z"],
  // With its own zone it is that instant, wherever the company is.
  ["2026-07-01T10:00Z", "America/Sao_Paulo", "2026-07-01T10:00:00.000Z"],
  ["2026-07-01T10:00:00+02:00", "America/Sao_Paulo", "2026-07-01T08:00:00.000Z"],
  ["2026-07-01T10:00:00-0300", "Europe/Lisbon", "2026-07-01T13:00:00.000Z"],
] as const)("%s in %s is %s", ([text, timeZone, instant]) => {
  expect(instantOf(text, timeZone)?.toISOString()).toBe(instant);
});

test.for([
  // Clocks jump from 00:00 to 01:00.
  ["2018-11-04T00:30", "America/Sao_Paulo", "2018-11-04T03:30:00.000Z"],
  // From 02:00 to 03:00: 02:30 is 03:30.
  ["2026-03-08T02:30", "America/New_York", "2026-03-08T07:30:00.000Z"],
  ["2026-03-29T01:30", "Europe/Lisbon", "2026-03-29T01:30:00.000Z"],
  // Half an hour only.
  ["2026-10-04T02:15", "Australia/Lord_Howe", "2026-10-03T15:45:00.000Z"],
] as const)(
  "%s, which the clocks of %s skip, is later by the length of the jump",
  ([text, zone, instant]) => {
    expect(instantOf(text, zone)?.toISOString()).toBe(instant);
  },
);

test.for([
  ["2018-02-17T23:30", "America/Sao_Paulo", "2018-02-18T01:30:00.000Z"],
  ["2026-11-01T01:30", "America/New_York", "2026-11-01T05:30:00.000Z"],
  ["2026-10-25T01:30", "Europe/Lisbon", "2026-10-25T00:30:00.000Z"],
] as const)(
  "%s, which the clocks of %s show twice, is the first of the two",
  ([text, zone, instant]) => {
    expect(instantOf(text, zone)?.toISOString()).toBe(instant);
  },
);

test.for([
  ["just before", "2026-03-08T01:59", "2026-03-08T06:59:00.000Z"],
  ["just after", "2026-03-08T03:00", "2026-03-08T07:00:00.000Z"],
  ["just before the second hour", "2026-11-01T00:59", "2026-11-01T04:59:00.000Z"],
  ["after both", "2026-11-01T02:00", "2026-11-01T07:00:00.000Z"],
] as const)("%s a change it is as the clocks show it", ([, text, instant]) => {
  expect(instantOf(text, "America/New_York")?.toISOString()).toBe(instant);
});

test.for(["2026-02-30T10:00", "2026-13-01T10:00", "2026-01-01T24:30", "2026-01-01T10:61"])(
  "%s is no time of the calendar",
  (text) => {
    expect(instantOf(text, "America/Sao_Paulo")).toBeNull();
    expect(instantOf(`${text}Z`, "America/Sao_Paulo")).toBeNull();
  },
);
