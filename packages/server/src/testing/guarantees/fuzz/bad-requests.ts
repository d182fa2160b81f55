import type { Endpoint, EndpointName } from "@balcao/contract";
import { endpoints } from "@balcao/contract";
import fc from "fast-check";
import { z } from "zod";
import type { RawRequest } from "../http-sender.ts";
import type { Rows } from "../rows.ts";
import type { CallParts } from "../valid-requests.ts";
import { splitName, validParts } from "../valid-requests.ts";
import { deepJson, nastyJson, nastyKeys, nastyQueryValue, nastyStep } from "./nasty.ts";

/**
 * Requests to one call of which at least one part is not what the registry asks for. Now and then all parts happen to
 * be right: what is refused, and what is not, is the server's to say.
 */
export function badRequests(name: EndpointName, rows: Rows): fc.Arbitrary<RawRequest> {
  const { method, pattern } = splitName(name);
  const endpoint: Endpoint = endpoints[name];
  const valid = validParts(name, rows);
  const paths = pathsOf(pattern, valid);
  const queries = queriesOf(endpoint, valid);
  const bodies = bodiesOf(endpoint, valid);

  const address = fc
    .tuple(paths, queries, fc.constantFrom("", "", "", "", "/", "//"))
    .map(([path, query, end]) => `/api${path}${end}${query}`);
  return fc
    .record({ target: address, sent: bodies, method: methodsOf(method) })
    .map(({ target, sent, method: used }) => ({ method: used, target, ...sent }));
}

/** Another method than the call's is another call, or none. */
function methodsOf(own: string): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 20, arbitrary: fc.constant(own) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"),
    },
  );
}

/** The pattern with its parameters, each right or not. */
function pathsOf(pattern: string, valid: CallParts): fc.Arbitrary<string> {
  const steps = pattern.split("/").map((step) => {
    if (!step.startsWith(":")) return fc.constant(step);
    const right = fc.constant(encodeURIComponent(String(valid.params[step.slice(1)])));
    return fc.oneof({ weight: 4, arbitrary: right }, { weight: 2, arbitrary: nastyStep });
  });
  return fc.tuple(...steps).map((path) => path.join("/"));
}

function queriesOf(endpoint: Endpoint, valid: CallParts): fc.Arbitrary<string> {
  const keys = Object.keys(endpoint.query?.shape ?? {});
  const right = Object.entries(valid.query).map(
    ([key, value]) => `${key}=${encodeURIComponent(String(value))}`,
  );
  const key = fc.oneof(
    ...(keys.length > 0 ? [{ weight: 6, arbitrary: fc.constantFrom(...keys) }] : []),
    { weight: 1, arbitrary: nastyKeys.map(encodeURIComponent) },
  );
  const pair = fc.oneof(
    { weight: 12, arbitrary: fc.tuple(key, nastyQueryValue).map(([k, v]) => `${k}=${v}`) },
    { weight: 2, arbitrary: fc.tuple(key, nastyQueryValue).map(([k, v]) => `${k}[]=${v}`) },
    { weight: 1, arbitrary: key.map((k) => `${k}[__proto__][polluted]=1`) },
    { weight: 1, arbitrary: key },
    { weight: 1, arbitrary: fc.constantFrom("&&&", "=", "%=%", "a=%zz", ";", "?", "#") },
    // The same key twice: a list where a text is expected.
    { weight: 2, arbitrary: fc.tuple(key, nastyQueryValue).map(([k, v]) => `${k}=1&${k}=${v}`) },
  );
  const rightOrNasty = fc
    .tuple(fc.subarray(right), fc.array(pair, { maxLength: 4 }))
    .map(([some, bad]) => [...some, ...bad].join("&"));
  return fc
    .oneof(
      { weight: 2, arbitrary: fc.constant(right.join("&")) },
      { weight: 4, arbitrary: rightOrNasty },
    )
    .map((query) => (query === "" ? "" : `?${query}`));
}

type SentBody = Pick<RawRequest, "headers" | "body" | "chunked">;

const json = { "content-type": "application/json" };

function bodiesOf(endpoint: Endpoint, valid: CallParts): fc.Arbitrary<SentBody> {
  const right = valid.body === undefined ? "{}" : JSON.stringify(valid.body);
  const asJson = (texts: fc.Arbitrary<string>) => texts.map((body) => ({ headers: json, body }));
  return fc.oneof(
    { weight: 8, arbitrary: asJson(objectsLike(endpoint, valid)) },
    { weight: 4, arbitrary: asJson(fc.constant(right)) },
    { weight: 2, arbitrary: asJson(nastyJson) },
    { weight: 2, arbitrary: asJson(brokenJson(right)) },
    { weight: 2, arbitrary: fc.record({ headers: strangeHeaders, body: fc.constant(right) }) },
    { weight: 1, arbitrary: fc.constant({ headers: json, body: right, chunked: true }) },
    { weight: 1, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: asJson(fc.constant("")) },
  );
}

/** An object with the call's fields, each right, wrong or missing, and with others. */
function objectsLike(endpoint: Endpoint, valid: CallParts): fc.Arbitrary<string> {
  const keys = endpoint.body instanceof z.ZodObject ? Object.keys(endpoint.body.shape) : [];
  const rights: Record<string, unknown> = { ...(valid.body as object | undefined) };
  const fields = keys.map((key) => {
    const right = rights[key] === undefined ? [] : [fc.constant(JSON.stringify(rights[key]))];
    const value = fc.oneof(...right, nastyJson, nastyJson, nastyJson);
    return fc.option(
      value.map((text) => `${JSON.stringify(key)}:${text}`),
      { freq: 6 },
    );
  });
  const key = fc.oneof(nastyKeys, ...(keys.length > 0 ? [fc.constantFrom(...keys)] : []));
  const other = fc.tuple(key, nastyJson).map(([k, text]) => `${JSON.stringify(k)}:${text}`);
  return fc
    .tuple(fc.tuple(...fields), fc.array(other, { maxLength: 2 }))
    .map(([own, others]) => `{${[...own.filter((field) => field !== null), ...others].join(",")}}`);
}

function brokenJson(right: string): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(
      ...[
        "{",
        "}",
        "[",
        "{]",
        '{"a":}',
        "{'a':1}",
        "{a:1}",
        '{"a":1,}',
        "undefined",
        "NaN",
        "tru",
        '"',
      ],
      ...[`${right}${right}`, `${right},`, `\u{feff}${right}`, `/**/${right}`, `)]}',\n${right}`],
      ...["\u0000", `${right}\u0000`, '{"a":"\t"}', '"\\x41"', '"\\u12"', "<xml/>", "a=b&c=d", " "],
      ...[deepJson.lists, deepJson.objects, deepJson.unclosed],
    ),
    fc.nat({ max: Math.max(0, right.length - 1) }).map((length) => right.slice(0, length)),
  );
}

const strangeHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  fc
    .constantFrom(
      ...[
        "text/plain",
        "text/html",
        "application/xml",
        "application/x-www-form-urlencoded",
        "garbage",
        "",
      ],
      ...[
        "multipart/form-data",
        "multipart/form-data; boundary=x",
        "application/octet-stream",
        "*/*",
        ";",
      ],
      ...["application/json; charset=utf-16", "application/json;;;", "application/jsonp", "json"],
    )
    .map((type) => ({ "content-type": type })),
  fc.constantFrom(
    { ...json, "content-encoding": "gzip" },
    { ...json, "content-encoding": "br, gzip" },
    { ...json, "x-http-method-override": "DELETE" },
    { ...json, "x-forwarded-for": "'; drop table users; --", "x-request-id": "../../etc/passwd" },
    { ...json, cookie: "jrt=a.b.c; jrt=; =; jrt" },
    { ...json, cookie: `jrt=${"x".repeat(8_000)}` },
    { ...json, accept: "application/xml", "accept-language": "\u00ff" },
    { ...json, origin: "null", "if-match": "*", range: "bytes=0-" },
    { ...json, expect: "100-continue" },
  ),
);

/** Authorization headers that prove nothing; null is none. */
export const strangeAuthorizations = [
  null,
  "Bearer",
  "Bearer undefined",
  "Bearer null",
  "bearer a.b.c",
  `Bearer ${"x".repeat(8_000)}`,
  "Bearer eyJhbGciOiJub25lIn0.eyJpZCI6MSwiY29tcGFueUlkIjoxLCJ0b2tlblZlcnNpb24iOjB9.",
  "Basic YWRtaW46YWRtaW4=",
  "Token \u00e9",
] as const;
