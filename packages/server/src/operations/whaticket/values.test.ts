import { expect, test } from "vitest";
import { keyedAddresses } from "../../features/contacts/index.ts";
import { readWishes } from "./command.ts";
import { samePeople } from "./people.ts";
import { addressesOf, centsOf, contentOf, dateOf, messageUuid, textOf } from "./values.ts";

test.each([
  ["2024-01-31 10:20:30.123456+00", "2024-01-31T10:20:30.123Z"],
  ["2024-01-31 10:20:30-03", "2024-01-31T13:20:30.000Z"],
  ["2024-01-31T10:20:30.5+05:30", "2024-01-31T04:50:30.500Z"],
  ["2024-01-31", "2024-01-31T00:00:00.000Z"],
  ["31/01/2024 08:09", "2024-01-31T08:09:00.000Z"],
  ["1706695230000", "2024-01-31T10:00:30.000Z"],
  ["0001-01-01 00:00:00+00", null],
  ["infinity", null],
  ["2024-13-45", null],
  ["amanhã", null],
  [null, null],
])("the date %s is read as %s", (written, expected) => {
  expect(dateOf(written)?.toISOString() ?? null).toBe(expected);
});

test.each([
  ["99.89999999999999", 9_990],
  ["99,9", 9_990],
  ["0.1", 10],
  ["NaN", 0],
  ["-5", 0],
  ["1e300", 2_000_000_000],
])("the price %s is %i cents", (written, expected) => {
  expect(centsOf(written)).toBe(expected);
});

test("text has no NUL, no half of a pair, and an end", () => {
  expect(textOf("a\u0000b\ud800")).toBe("ab\ufffd");
  expect(textOf("🙂🙂", 3)).toBe("🙂");
});

test.each([
  [{ number: "5511987654321" }, "pn 5511987654321"],
  [{ number: "551187654321@s.whatsapp.net" }, "pn 5511987654321"],
  [{ number: "5511987654321:12@s.whatsapp.net" }, "pn 5511987654321"],
  [{ number: "351912345678" }, "pn 351912345678"],
  [{ number: "123456789012345" }, "lid 123456789012345"],
  [{ number: "123456789012345@lid", lid: "123456789012345@lid" }, "lid 123456789012345"],
  [{ number: "5511987654321", lid: "123456789012345" }, "pn 5511987654321, lid 123456789012345"],
  [{ number: "120363041234567890" }, "group 120363041234567890"],
  [{ number: "5511987654321-1500000000@g.us" }, "group 5511987654321-1500000000"],
  [{ number: "status@broadcast" }, ""],
  [{ number: "abc" }, ""],
])("the contact %j has the addresses %s", (row, expected) => {
  const keyed = keyedAddresses(addressesOf(row));
  expect(keyed.map(({ kind, key }) => `${kind} ${key}`).join(", ")).toBe(expected);
});

test("rows that share an address through a third one are one person, the newest first", () => {
  const row = (id: number, contact: Parameters<typeof addressesOf>[0], year: number) => ({
    ...{
      id,
      addresses: keyedAddresses(addressesOf(contact)),
      updated: new Date(Date.UTC(year, 0, 1)),
    },
  });
  const people = samePeople([
    row(1, { number: "551187654321" }, 2020),
    row(2, { number: "123456789012345@lid" }, 2022),
    row(3, { number: "551133334444" }, 2023),
    row(4, { number: "5511987654321", lid: "123456789012345" }, 2021),
  ]);
  expect(people.map((person) => person.map(({ id }) => id))).toEqual([[2, 4, 1], [3]]);
});

test("a message has the same id in each run, in the order of time", () => {
  const [early, late] = [new Date("2024-01-01"), new Date("2024-01-02")];
  const id = messageUuid("fonte", "ABC", early);
  expect(id).toBe(messageUuid("fonte", "ABC", early));
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(id < messageUuid("fonte", "AAA", late)).toBe(true);
  expect(id).not.toBe(messageUuid("outra", "ABC", early));
});

test("a place that cannot be read stays a text", () => {
  expect(contentOf("locationMessage", "data:image/png;base64,AA|sem link")).toEqual({
    ...{ body: "sem link", mediaType: "extendedTextMessage", details: null },
  });
});

test("the command line, and the environment for what is secret, say what is wished", () => {
  const from = "postgres://leitor@host/whaticket";
  expect(readWishes(["--from", from, "--companies", "1, 4", "--dry-run"], {})).toEqual({
    ...{ from, media: null, isDryRun: true, companies: ["1", "4"], namePrefix: "" },
  });
  expect(readWishes([], { WHATICKET_DATABASE_URL: from, WHATICKET_MEDIA: "/srv" })).toMatchObject({
    ...{ from, media: "/srv", isDryRun: false, companies: null },
  });
  for (const wrong of [
    [],
    ["--from", "mysql://x"],
    ["--from", from, "--companies", "todas"],
    ["--what"],
  ]) {
    expect(readWishes(wrong, {})).toBeNull();
  }
});
