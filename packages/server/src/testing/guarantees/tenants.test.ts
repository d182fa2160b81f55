import type { EndpointName, ErrorCode } from "@balcao/contract";
import { endpoints, errorStatus, isAllowed, planFlags } from "@balcao/contract";
import type { PlanFlags, Endpoint } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { testApp } from "../app.ts";
import { createSender } from "./http-sender.ts";
import type { IdSlot } from "./id-slots.ts";
import { findIdSlots } from "./id-slots.ts";
import type { Role, Rows } from "./sides.ts";
import { createRows, createSide, newClientId, roles } from "./sides.ts";
import type { CallParts } from "./valid-requests.ts";
import { toWire, validParts } from "./valid-requests.ts";
import { digestCompany } from "./digest.ts";

/** What an id of another company leads to. */
type Fate = {
  /** The row that the slot names. */
  row: (rows: Rows) => unknown;
  /** The rest of the body or query, where the valid request would hide what is tested. */
  rest?: Record<string, unknown>;
} & (
  | { refusal: ErrorCode; allowedTo?: readonly Role[] }
  /** Accepted, and without effect on what the reply shows or on the other company. */
  | {
      harmless: "finds nothing" | "is ignored" | "is the caller's own choice";
      /** What the reply to an id that finds nothing holds. */
      nothing?: Record<string, unknown> | unknown[];
      /** Whom the product lets use it; for others it is as if it were not there. */
      usedBy?: readonly Role[];
      /** The own row's id finds what the other's does not. */
      ownIsFound?: true;
    }
);

const noTicket = { row: ({ ticketId }: Rows) => ticketId, refusal: "ERR_NO_TICKET_FOUND" } as const;
const noConnection = {
  row: ({ connectionId }: Rows) => connectionId,
  refusal: "ERR_NO_WAPP_FOUND",
} as const;
const noMessage = {
  row: ({ failedMessageId }: Rows) => failedMessageId,
  refusal: "ERR_NO_MESSAGE_FOUND",
} as const;
const noPairing = { ...noConnection, row: ({ pairingConnectionId }: Rows) => pairingConnectionId };

/** Every place of a request that names a row. One that is not here fails the first test below. */
const fates: Record<IdSlot, Fate> = {
  "GET /companies/listPlan/:companyId params.companyId": {
    row: ({ companyId }) => companyId,
    refusal: "ERR_OTHER_COMPANY",
    allowedTo: ["super"],
  },
  "GET /whatsapp/:connectionId params.connectionId": noConnection,
  "POST /whatsappsession/:connectionId params.connectionId": noConnection,
  "PUT /whatsappsession/:connectionId params.connectionId": noConnection,
  "DELETE /whatsappsession/:connectionId params.connectionId": noConnection,

  "GET /tickets query.queueIds": {
    row: ({ queueId }) => JSON.stringify([queueId]),
    rest: { status: "pending", showAll: "true" },
    harmless: "finds nothing",
    nothing: { tickets: [], count: 0, hasMore: false },
    ownIsFound: true,
  },
  "GET /tickets query.tags": {
    row: ({ tagId }) => JSON.stringify([tagId]),
    rest: { status: "pending", showAll: "true" },
    harmless: "finds nothing",
    nothing: { tickets: [], count: 0, hasMore: false },
    ownIsFound: true,
  },
  "GET /tickets query.users": {
    row: ({ userId }) => JSON.stringify([userId]),
    rest: { status: "pending", showAll: "true" },
    harmless: "finds nothing",
    usedBy: ["admin", "super"],
    nothing: { tickets: [], count: 0, hasMore: false },
  },
  "GET /tickets/counts query.queueIds": {
    row: ({ queueId }) => JSON.stringify([queueId]),
    rest: { showAll: "true" },
    harmless: "finds nothing",
    nothing: { open: 0, pending: 0 },
  },
  "GET /tickets/:ticketId params.ticketId": noTicket,
  "GET /tickets/u/:ticketUuid params.ticketUuid": {
    row: ({ ticketUuid }) => ticketUuid,
    refusal: "ERR_NO_TICKET_FOUND",
  },
  "PUT /tickets/:ticketId params.ticketId": noTicket,
  "PUT /tickets/:ticketId body.userId": {
    row: ({ userId }) => userId,
    rest: {},
    refusal: "ERR_NO_USER_FOUND",
  },
  "PUT /tickets/:ticketId body.queueId": {
    row: ({ queueId }) => queueId,
    rest: {},
    refusal: "ERR_QUEUE_NOT_FOUND",
  },
  "PUT /tickets/:ticketId body.whatsappId": {
    row: ({ connectionId }) => connectionId,
    rest: {},
    refusal: "ERR_NO_WAPP_FOUND",
  },
  // There are no prompts and integrations yet to refer to; clients send the ids of records they read.
  "PUT /tickets/:ticketId body.promptId": { row: () => 1, rest: {}, harmless: "is ignored" },
  "PUT /tickets/:ticketId body.integrationId": { row: () => 1, rest: {}, harmless: "is ignored" },

  "GET /messages/:ticketId params.ticketId": noTicket,
  "GET /messages/:ticketId query.beforeId": {
    row: ({ messageId }) => messageId,
    rest: { markRead: "false" },
    harmless: "finds nothing",
    nothing: { messages: [], hasMore: false },
  },
  "POST /messages/:ticketId params.ticketId": { ...noTicket, rest: { body: "Olá" } },
  // wire-contract 10.1: a message to quote that is not there is a 400.
  "POST /messages/:ticketId body.quotedMsg.id": {
    row: ({ messageId }) => messageId,
    refusal: "ERR_FETCH_WAPP_MSG",
  },
  "POST /messages/:ticketId body.clientId": {
    row: newClientId,
    harmless: "is the caller's own choice",
  },
  "POST /messages/:ticketId/read params.ticketId": noTicket,
  "POST /messages/retry/:messageId params.messageId": noMessage,
  "DELETE /messages/failed/:messageId params.messageId": noMessage,

  "POST /simulator/connections/:connectionId/scan params.connectionId": noPairing,
  "POST /simulator/connections/:connectionId/unlink params.connectionId": noConnection,
  "PUT /simulator/connections/:connectionId/network params.connectionId": noConnection,
  "GET /simulator/connections/:connectionId/chats params.connectionId": noConnection,
  "POST /simulator/connections/:connectionId/chats params.connectionId": noConnection,
  "GET /simulator/connections/:connectionId/chats/:phone/messages params.connectionId":
    noConnection,
  "GET /simulator/connections/:connectionId/chats/:phone/messages query.beforeId": {
    row: ({ networkMessageId }) => networkMessageId,
    harmless: "finds nothing",
    nothing: [],
  },
  "POST /simulator/connections/:connectionId/chats/:phone/messages params.connectionId":
    noConnection,
  "POST /simulator/connections/:connectionId/chats/:phone/messages body.messageId": {
    row: ({ networkMessageId }) => networkMessageId,
    harmless: "is the caller's own choice",
  },
  "POST /simulator/connections/:connectionId/chats/:phone/read params.connectionId": noConnection,
  "POST /simulator/connections/:connectionId/chats/:phone/typing params.connectionId": noConnection,
};

/** Parameters that name no row of their own: a setting's name, and a customer of the connection beside it. */
const plainParams = new Set(["key", "phone"]);

test("the matrix knows every place of every call that names a row, and no other", () => {
  expect(findIdSlots().sort()).toEqual(Object.keys(fates).sort());
  const params = Object.values<Endpoint>(endpoints).flatMap((endpoint) =>
    Object.keys(endpoint.params?.shape ?? {}),
  );
  expect(params.filter((param) => !plainParams.has(param) && !/(Id|Uuid)$/.test(param))).toEqual(
    [],
  );
});

const product = await testApp({ environment: { ROLES: "http" } });
const { database } = product;
const send = createSender(product.url);
const own = await createSide(product);
const other = await createSide(product);
const otherRows = await createRows(product, other);
const allFlags = Object.fromEntries(planFlags.map((flag) => [flag, true])) as PlanFlags;

const matrix = findIdSlots().flatMap((slot) => roles.map((role) => ({ slot, role })));

test.for(matrix)("$slot of another company, asked by $role", async ({ slot, role }) => {
  const { name, place } = parseSlot(slot);
  const fate = fates[slot];
  if (!fate) throw new Error("the matrix does not know this place");
  const { permission }: Endpoint = endpoints[name];
  const profile = role === "super" ? "admin" : role;
  const holder = { profile, super: role === "super", plan: allFlags } as const;
  const isPermitted = permission === undefined || isAllowed(holder, permission);
  const before = await digestCompany(database.db, other.company.id);

  const ownRows = await createRows(product, own, role);
  const call = (named: unknown) => {
    const parts = withValue(validParts(name, ownRows), place, named, fate.rest);
    const { body, ...wire } = toWire(name, parts);
    const headers = {
      authorization: `Bearer ${own.people[role].token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    return send({ ...wire, headers, ...(body === undefined ? {} : { body }) });
  };
  const foreign = await call(fate.row(otherRows));
  const control = await call(fate.row(ownRows));

  if (!isPermitted) {
    expect([foreign.status, foreign.body]).toMatchObject([403, { code: "ERR_NO_PERMISSION" }]);
    expect([control.status, control.body]).toMatchObject([403, { code: "ERR_NO_PERMISSION" }]);
  } else {
    if ("refusal" in fate && !fate.allowedTo?.includes(role)) {
      const { refusal } = fate;
      expect([foreign.status, foreign.body]).toMatchObject([
        errorStatus[refusal],
        { code: refusal },
      ]);
    } else {
      expect([foreign.status, foreign.text]).toEqual([successOf(name), expect.anything()]);
    }
    // The same call with a row of the own company: it exists and does what it is for.
    expect([control.status, control.text]).toEqual([successOf(name), expect.anything()]);
    if ("harmless" in fate && fate.nothing && (fate.usedBy ?? roles).includes(role)) {
      expect(foreign.body).toMatchObject(fate.nothing);
    }
    if ("harmless" in fate && fate.ownIsFound) expect(control.text).toContain(ownRows.mark);
  }
  expect(foreign.text.replaceAll(otherRows.networkMessageId, "")).not.toContain(otherRows.mark);
  expect(await digestCompany(database.db, other.company.id)).toEqual(before);
});

test("what was told apart above is there for its own company", async () => {
  const reply = await product.as(other.people.admin).get(`/messages/${otherRows.ticketId}`);
  expect(JSON.stringify(reply.body)).toContain(otherRows.mark);
  const rows = await database.db.acrossCompanies((tx) =>
    tx.query(sql`select 1 from tickets where company_id = ${other.company.id}`),
  );
  expect(rows).toHaveLength(1);
});

function parseSlot(slot: IdSlot): { name: EndpointName; place: string } {
  const [method = "", pattern = "", place = ""] = slot.split(" ");
  // The slots are made of the registry's names.
  return { name: `${method} ${pattern}` as EndpointName, place };
}

function successOf(name: EndpointName): number {
  const endpoint: Endpoint = endpoints[name];
  return endpoint.status ?? 200;
}

/** The request with a value at `part.path`; `rest` stands for what else is in that part. */
function withValue(
  parts: CallParts,
  place: string,
  value: unknown,
  rest: Record<string, unknown> | undefined,
): CallParts {
  const [part = "", ...path] = place.split(".");
  const [first = "", ...deeper] = path;
  const nested = deeper.reduceRight((inner: unknown, key) => ({ [key]: inner }), value);
  switch (part) {
    case "params":
      return {
        ...parts,
        params: { ...parts.params, [first]: nested },
        ...(rest ? { body: rest } : {}),
      };
    case "query":
      return { ...parts, query: { ...(rest ?? parts.query), [first]: nested } };
    case "body": {
      const body = rest ?? (parts.body as Record<string, unknown>); // valid bodies are objects
      return { ...parts, body: { ...body, [first]: nested } };
    }
    default:
      throw new Error(`${place} is in no part of a request`);
  }
}
