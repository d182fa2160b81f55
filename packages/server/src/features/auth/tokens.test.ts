import { SignJWT } from "jose";
import { createSecretKey } from "node:crypto";
import { expect, test } from "vitest";
import { judgeRefresh, readSigned } from "./tokens.ts";

const key = createSecretKey(Buffer.from("a secret of at least thirty-two characters"));
const otherKey = createSecretKey(Buffer.from("another secret with thirty-two characters"));
const claims = { id: 7, name: "João" };

function signedBy(signer: typeof key): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: "HS256", typ: "JWT" }).sign(signer);
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

test("a token of the key says what was signed", async () => {
  expect(readSigned(await signedBy(key), key)).toEqual(claims);
});

test("a token of another key says nothing", async () => {
  expect(readSigned(await signedBy(otherKey), key)).toBeNull();
});

test.each<[what: string, alter: (header: string, payload: string, signature: string) => string]>([
  ["other claims", (header, _, signature) => `${header}.${encoded({ id: 8 })}.${signature}`],
  [
    "another header",
    (_, payload, signature) => `${encoded({ alg: "none" })}.${payload}.${signature}`,
  ],
  [
    "no signature and the algorithm none",
    (_, payload) => `${encoded({ alg: "none" })}.${payload}.`,
  ],
  [
    "a signature with one more character",
    (header, payload, signature) => `${header}.${payload}.${signature}A`,
  ],
  [
    "a signature of the same length",
    (header, payload, signature) => `${header}.${payload}.${"A".repeat(signature.length)}`,
  ],
  ["a fourth part", (header, payload, signature) => `${header}.${payload}.${signature}.x`],
  ["two parts", (header, payload) => `${header}.${payload}`],
  ["nothing", () => ""],
])("an altered token says nothing: %s", async (_what, alter) => {
  const [header = "", payload = "", signature = ""] = (await signedBy(key)).split(".");
  expect(readSigned(`${header}.${payload}.${signature}`, key)).toEqual(claims);
  expect(readSigned(alter(header, payload, signature), key)).toBeNull();
});

const now = new Date("2026-01-01T12:00:00Z");
const secondsAgo = (seconds: number) => new Date(now.getTime() - seconds * 1_000);

test.each([
  ["the newest token rotates", { tokenVersion: 3, generation: 7 }, secondsAgo(5), "rotate"],
  ["however long ago it was given", { tokenVersion: 3, generation: 7 }, secondsAgo(9e5), "rotate"],
  [
    "the one before is repeated for a minute",
    { tokenVersion: 3, generation: 6 },
    secondsAgo(60),
    "repeat",
  ],
  ["and is reused after it", { tokenVersion: 3, generation: 6 }, secondsAgo(61), "reuse"],
  ["an older one is reused at once", { tokenVersion: 3, generation: 5 }, secondsAgo(1), "reuse"],
  ["one without a known renewal is reused", { tokenVersion: 3, generation: 6 }, null, "reuse"],
  ["one of an older session is ended", { tokenVersion: 2, generation: 7 }, secondsAgo(1), "ended"],
  ["one from the future is ended", { tokenVersion: 3, generation: 8 }, secondsAgo(1), "ended"],
] as const)("%s", (_name, claims, renewedAt, verdict) => {
  const stored = { tokenVersion: 3, generation: 7, renewedAt, isEnded: false };
  expect(judgeRefresh(claims, stored, now)).toBe(verdict);
  expect(judgeRefresh(claims, { ...stored, isEnded: true }, now)).toBe("ended");
});
