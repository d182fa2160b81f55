import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance } from "fastify";
import { DomainError } from "../context.ts";

/** No request of the product nests deeper than a handful of levels. */
const MAX_DEPTH = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const OPENING = new Set(["{", "["].map((bracket) => bracket.charCodeAt(0)));
const CLOSING = new Set(["}", "]"].map((bracket) => bracket.charCodeAt(0)));

/**
 * Why a JSON text is refused before it is parsed: nesting that would exhaust recursive readers, or a NUL that
 * PostgreSQL cannot store. Null when it may be parsed (which still may fail).
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

/**
 * Only JSON bodies, parsed without prototype poisoning. An empty body is allowed whatever the header says: clients of
 * the family send the JSON content type without a body.
 */
export function acceptJsonBodies(app: FastifyInstance): void {
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

  app.addContentTypeParser("*", (request, _payload, done) => {
    if (isEmpty(request.headers)) done(null, undefined);
    else done(new DomainError("ERR_UNSUPPORTED_MEDIA_TYPE"));
  });
}

export function isEmpty(headers: IncomingHttpHeaders): boolean {
  const length = headers["content-length"];
  return headers["transfer-encoding"] === undefined && (length === undefined || length === "0");
}

/** The refusal of a request that no schema can look at yet. */
export function malformed(path: string, message: string): DomainError {
  return new DomainError("ERR_INVALID_REQUEST", { issues: [{ path, message }] });
}
