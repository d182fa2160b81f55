import { expect, test } from "vitest";
import { DomainError } from "../context.ts";
import { toErrorAnswer } from "./routes.ts";

const withStatus = (statusCode: number) => Object.assign(new Error("inner words"), { statusCode });

const ticketInTheWay = {
  ...{ id: 5, uuid: "u", status: "open", userId: null, queueId: null, contactId: 6, whatsappId: 7 },
  user: { id: null, name: "" },
  queue: { id: null, name: "Sem fila", color: "" },
};

test.each([
  [
    "a refusal by its code",
    new DomainError("ERR_NO_TICKET_FOUND"),
    { status: 404, kind: "expected", body: { error: "ERR_NO_TICKET_FOUND" } },
  ],
  [
    "a text that clients know, with its date",
    new DomainError("ERR_SUBSCRIPTION_EXPIRED", { date: "09/03/2026" }),
    {
      status: 400,
      body: {
        error: expect.stringContaining("venceu 09/03/2026."),
        code: "ERR_SUBSCRIPTION_EXPIRED",
      },
    },
  ],
  [
    "what a code carries",
    new DomainError("ERR_OTHER_OPEN_TICKET", { ticketId: 5, user: null, queue: null }),
    { status: 400, body: { data: { ticketId: 5, user: null, queue: null } } },
  ],
  [
    "the ticket in the way, as text too",
    new DomainError("ERR_TICKET_EXISTS", ticketInTheWay),
    {
      status: 409,
      body: { error: JSON.stringify(ticketInTheWay), data: ticketInTheWay },
    },
  ],
  [
    "an unknown number, for clients that look at nothing else",
    new DomainError("ERR_WAPP_INVALID_CONTACT"),
    { status: 400, body: { error: "ERR_WAPP_INVALID_CONTACT", invalido: true } },
  ],
  [
    "how long to wait",
    new DomainError("ERR_TOO_MANY_REQUESTS", { retryAfterSeconds: 7 }),
    { status: 429, retryAfterSeconds: 7 },
  ],
  [
    "a database that is away",
    Object.assign(new Error("x"), { code: "ECONNREFUSED" }),
    { status: 503, kind: "unavailable", retryAfterSeconds: 5, body: { error: "ERR_UNAVAILABLE" } },
  ],
  [
    "a framework's refusal",
    withStatus(400),
    { status: 400, body: { code: "ERR_INVALID_REQUEST" } },
  ],
  ["a body too large", withStatus(413), { status: 413, body: { code: "ERR_BODY_TOO_LARGE" } }],
  ["a media type", withStatus(415), { body: { code: "ERR_UNSUPPORTED_MEDIA_TYPE" } }],
  [
    "a defect, without its words",
    new TypeError("secret words"),
    { status: 500, kind: "fault", body: { error: "Internal server error", code: "ERR_INTERNAL" } },
  ],
])("answers %s", (_name, error, expected) => {
  const answer = toErrorAnswer(error, "request-1");
  expect(answer).toMatchObject(expected);
  expect(answer.body.requestId).toBe("request-1");
  expect(JSON.stringify(answer.body)).not.toMatch(/words/);
});
