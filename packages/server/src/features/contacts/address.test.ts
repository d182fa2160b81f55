import { expect, test } from "vitest";
import type { Address } from "../../channels/port.ts";
import { addressKey, keyedAddresses, numberOf } from "./address.ts";

test.each<[why: string, address: Address, key: string]>([
  ["a mobile with the ninth digit", { kind: "pn", value: "5511987654321" }, "5511987654321"],
  ["the same mobile without it", { kind: "pn", value: "551187654321" }, "5511987654321"],
  ["written for people", { kind: "pn", value: "+55 (11) 8765-4321" }, "5511987654321"],
  ["a landline keeps its eight digits", { kind: "pn", value: "551134567890" }, "551134567890"],
  ["a mobile that never had a short form", { kind: "pn", value: "5511934567890" }, "5511934567890"],
  ["an area code with zero does not exist", { kind: "pn", value: "551087654321" }, "551087654321"],
  ["another country", { kind: "pn", value: "351912345678" }, "351912345678"],
  ["another country of the same length", { kind: "pn", value: "541187654321" }, "541187654321"],
  ["a private id is not a number", { kind: "lid", value: "551187654321" }, "551187654321"],
  ["a business id", { kind: "bsuid", value: "US.1349" }, "US.1349"],
  ["a group keeps its hyphen", { kind: "group", value: "5511-1400" }, "5511-1400"],
])("the key of an address: %s", (_why, address, key) => {
  expect(addressKey(address)).toBe(key);
});

test("two forms of one number are one address, the first form stays", () => {
  const long: Address = { kind: "pn", value: "5511987654321" };
  const short: Address = { kind: "pn", value: "551187654321" };
  const lid: Address = { kind: "lid", value: "77" };
  expect(keyedAddresses([short, lid, long])).toEqual([
    { ...short, key: "5511987654321" },
    { ...lid, key: "77" },
  ]);
});

test("a phone number without digits is no address", () => {
  expect(keyedAddresses([{ kind: "pn", value: "+" }])).toEqual([]);
});

test.each<[addresses: Address[], number: string | null]>([
  [
    [
      { kind: "lid", value: "77" },
      { kind: "pn", value: "+55 11 98765-4321" },
    ],
    "5511987654321",
  ],
  [[{ kind: "lid", value: "77" }], null],
  [[{ kind: "group", value: "5511-1400" }], "5511-1400"],
])("the number stored for %j is %s", (addresses, number) => {
  expect(numberOf(addresses)).toBe(number);
});
