import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import { validatorCompiler } from "fastify-type-provider-zod";
import { DomainError } from "../context.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The call takes files as multipart/form-data. */
    takesFiles?: boolean;
  }
}

/** Far deeper than any request of the product nests. */
const MAX_DEPTH = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const OPENING = new Set(["{", "["].map((bracket) => bracket.charCodeAt(0)));
const CLOSING = new Set(["}", "]"].map((bracket) => bracket.charCodeAt(0)));

/**
 * The reason to refuse a JSON text before it is parsed: nesting that would exhaust recursive readers, or a NUL, which
 * PostgreSQL cannot store. Null when it may be parsed (which may still fail).
 */
export function jsonFault(text: string): string | null {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === QUOTE) inString = false;
      else if (code === BACKSLASH) {
        index += 1; // the escaped character, so that \" does not end the text
        if (text.charCodeAt(index) === LETTER_U && text.startsWith("0000", index + 1)) {
          return "must not contain NUL";
        }
      }
    } else if (code === QUOTE) inString = true;
    else if (OPENING.has(code)) {
      depth += 1;
      if (depth > MAX_DEPTH) return `must not nest deeper than ${MAX_DEPTH} levels`;
    } else if (CLOSING.has(code)) depth -= 1;
  }
  return null;
}

/** Stands for a multipart body, which is not read until a handler asks for it. */
export const MULTIPART: unique symbol = Symbol("multipart");

/**
 * Accepts JSON, parsed without prototype poisoning, and multipart where the call takes files. An empty body is allowed
 * with any content type: existing clients send the JSON content type without a body.
 */
export function acceptBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();

  app.addContentTypeParser<string>(
    "application/json",
    { parseAs: "string" },
    (request, text, done) => {
      if (text.trim() === "") {
        done(null, undefined);
        return;
      }
      const fault = jsonFault(text);
      if (fault !== null) done(malformed("body", fault));
      else void parse(request, text, done);
    },
  );

  app.addContentTypeParser("multipart/form-data", (request, _payload, done) => {
    if (isEmpty(request.headers)) done(null, undefined);
    else if (request.routeOptions.config.takesFiles === true) done(null, MULTIPART);
    else done(new DomainError("ERR_UNSUPPORTED_MEDIA_TYPE"));
  });

  app.addContentTypeParser("*", (request, _payload, done) => {
    if (isEmpty(request.headers)) done(null, undefined);
    else done(new DomainError("ERR_UNSUPPORTED_MEDIA_TYPE"));
  });
}

function isEmpty(headers: IncomingHttpHeaders): boolean {
  const length = headers["content-length"];
  return headers["transfer-encoding"] === undefined && (length === undefined || length === "0");
}

/** The error for a request that is refused before any schema checks it. */
export function malformed(path: string, message: string): DomainError {
  return new DomainError("ERR_INVALID_REQUEST", { issues: [{ path, message }] });
}

/** Validates by the contract's schemas, except a multipart body: `upload.ts` parses that while it reads it. */
export const validateParts: typeof validatorCompiler = (route) => {
  const validate = validatorCompiler(route);
  if (route.httpPart !== "body") return validate;
  return (data: unknown) => (data === MULTIPART ? { value: data } : validate(data));
};

/** Time limit for a body to arrive, except for the files of an upload (`upload.ts`). */
const BODY_MS = 120_000;

/** Node's own limit, which cannot differ per call: the largest file over a line of 1 Mbit/s. */
export const LONGEST_REQUEST_MS = 45 * 60_000;

const deadlines = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/** Closes the connection of a client that sends its body too slowly, even if the request was already answered. */
export function limitArrival(app: FastifyInstance): void {
  app.addHook("onRequest", ({ raw }, _reply, done) => {
    done();
    if (raw.complete || !hasBody(raw)) return;
    raw.once("close", () => clearTimeout(deadlines.get(raw)));
    setDeadline(raw, BODY_MS);
  });
}

/** Replaces the time limit for the rest of a request. */
export function setDeadline(raw: IncomingMessage, delayMs: number): void {
  clearTimeout(deadlines.get(raw));
  if (raw.closed) return;
  const cutOff = () => {
    if (!raw.complete) raw.destroy();
  };
  deadlines.set(raw, setTimeout(cutOff, delayMs).unref());
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
