import fc from "fast-check";
import { sized } from "../../soak.ts";

const DEEP = 10_000;
/** Longer than any text that the contract allows. */
export const HUGE = "x".repeat(sized({ test: 150_000, soak: 1_000_000 }));

/** A JSON text that nests this deep. */
export const deepJson = {
  lists: `${"[".repeat(DEEP)}${"]".repeat(DEEP)}`,
  objects: `${'{"a":'.repeat(DEEP)}1${"}".repeat(DEEP)}`,
  unclosed: "[".repeat(DEEP),
};

/** JSON texts of values that no field asks for. */
const nastyValues = [
  ...["null", "true", "false", "0", "-0", "-1", "1.5", "1e400", "-1e400", "5e-324", "1e3"],
  ...["2147483647", "2147483648", "-2147483649", "9007199254740993", "99999999999999999999"],
  ...[
    '""',
    '" "',
    '"0"',
    '"-1"',
    '"1.5"',
    '"2147483648"',
    '"0x10"',
    '"1e3"',
    '"٣"',
    '"１"',
    '"NaN"',
  ],
  ...[
    '"undefined"',
    '"null"',
    '"true"',
    '"[]"',
    '"[1"',
    '"{}"',
    '"%"',
    '"_"',
    '"\\\\"',
    `"'"`,
    '"\\""',
  ],
  ...[`"' or 1=1; drop table tickets; --"`, `"{{constructor}}"`, '"<script>alert(1)</script>"'],
  ...[
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"\\ufeff"',
    '"\\u202eabc"',
    '"\u{1f600}"',
  ],
  ...[
    '"2026-02-31"',
    '"2026-13-45"',
    '"9999999-01-01"',
    '"open"',
    '"pending"',
    '"closed"',
    '"OPEN"',
  ],
  ...[
    "[]",
    "[1]",
    "[null]",
    "[[1]]",
    "[[[[1]]]]",
    '["1"]',
    "[1,1,1,1]",
    "{}",
    '{"id":1}',
    '{"id":null}',
  ],
  ...['{"__proto__":{"polluted":true}}', '{"constructor":{"prototype":{"polluted":true}}}'],
  ...['{"toString":1,"valueOf":2}', '{"length":1e9}', '{"then":"x"}', '{"toJSON":1}', '{"$gt":""}'],
  JSON.stringify("x".repeat(70_000)),
  JSON.stringify("\u{1f600}".repeat(5_000)),
];

/** A JSON text of a value: mostly one of those above, else whatever there is. */
export const nastyJson: fc.Arbitrary<string> = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(...nastyValues) },
  { weight: 4, arbitrary: fc.json({ maxDepth: 6 }) },
  { weight: 4, arbitrary: fc.double().map((value) => JSON.stringify(value)) },
  {
    weight: 4,
    arbitrary: fc.string({ unit: "binary", maxLength: 40 }).map((value) => JSON.stringify(value)),
  },
  { weight: 1, arbitrary: fc.constantFrom(deepJson.lists, deepJson.objects) },
  { weight: 1, arbitrary: fc.constant(JSON.stringify(HUGE)) },
);

/** Keys that objects of a language have, or that a request may not name. */
export const nastyKeys = fc.constantFrom(
  ...["__proto__", "constructor", "prototype", "hasOwnProperty", "toString", "then", "", "\u0000"],
  ...["id", "companyId", "company_id", "super", "profile", "tokenVersion", "uuid", "createdAt"],
);

/** Texts as they stand in an address, escaped or not. */
const nastySteps = [
  ...["0", "-1", "1.5", "00001", "1e3", "0x10", "2147483647", "2147483648", "99999999999999999999"],
  ...[
    "abc",
    "null",
    "undefined",
    "NaN",
    "true",
    "%20",
    "+1",
    "%201",
    "1%20",
    "1%0a",
    "%D9%A3",
    "'",
    "%22",
  ],
  ...[
    "1'%20or%20'1'='1",
    "1;select",
    "[]",
    "{}",
    "%5B1%5D",
    "*",
    "%25",
    "%2525",
    "a%2Fb",
    "..%2f..%2fetc",
  ],
  ...[
    "%00",
    "1%00",
    "%",
    "%zz",
    "%2",
    "%E0%A4%A",
    "%C3%28",
    "%ED%A0%80",
    "%FF",
    "%F5%80%80%80",
    "%c0%ae",
  ],
  ...["constructor", "__proto__", "prototype", "toString", "u", "counts", "retry", "send"],
  ...[
    "00000000-0000-0000-0000-000000000000",
    "11111111-1111-4111-8111-11111111111g",
    "1".repeat(36),
  ],
  ...["9".repeat(400), "a".repeat(501), "a".repeat(5_000), "%61".repeat(500)],
];

export const nastyStep: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...nastySteps) },
  { weight: 2, arbitrary: fc.integer().map(String) },
  {
    weight: 2,
    arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }).map(encodeURIComponent),
  },
);

/** Values of a query, as they stand in an address. */
export const nastyQueryValue: fc.Arbitrary<string> = fc.oneof(
  { weight: 10, arbitrary: nastyStep },
  {
    weight: 8,
    arbitrary: fc
      .constantFrom(
        ...[
          "[1,",
          "[[1]]",
          '["a"]',
          "[-1]",
          "[1.5]",
          "[null]",
          "[1e400]",
          "{}",
          "null",
          "1",
          '"1"',
          "[]]",
        ],
        ...['{"length":1}', `[${Array.from({ length: 501 }, (_, index) => index + 1).join()}]`],
        ...[
          "[".repeat(3_900),
          "2026-02-31",
          "2026-1-1",
          "0000-00-00",
          "-000001-01-01",
          "open",
          "OPEN",
          " ",
        ],
        ...["x".repeat(201), "%_\\", "\u0000", "a\u0000b", "\u{1f600}"],
      )
      .map(encodeURIComponent),
  },
);
