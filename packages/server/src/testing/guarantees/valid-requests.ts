import type { EndpointName, RequestOf } from "@balcao/contract";
import { newClientId, type Rows } from "./sides.ts";

/** A request with all its parts, before it is put on the wire. */
export type CallParts = {
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  body: unknown;
};

/**
 * For each call of the product a request that is accepted, given rows of the caller's company. A new call does not
 * compile until it is here, and with that it is in the fuzz and in the matrices.
 */
const validRequests: { [K in EndpointName]: (rows: Rows) => RequestOf<K> } = {
  "GET /health": () => ({}),
  "GET /health/live": () => ({}),
  "GET /health/ready": () => ({}),
  "GET /version": () => ({}),

  "POST /auth/login": ({ email, password }) => ({ body: { email, password } }),
  "POST /auth/refresh_token": () => ({}),
  "GET /auth/me": () => ({}),
  "DELETE /auth/logout": () => ({}),

  "GET /companies/listPlan/:companyId": ({ companyId }) => ({ params: { companyId } }),

  "GET /settings": () => ({}),
  "PUT /settings/:key": () => ({ params: { key: "call" }, body: { value: "disabled" } }),

  "GET /queue": () => ({}),

  "GET /whatsapp": () => ({}),
  "GET /whatsapp/:connectionId": ({ connectionId }) => ({ params: { connectionId } }),
  "POST /whatsappsession/:connectionId": ({ connectionId }) => ({ params: { connectionId } }),
  "PUT /whatsappsession/:connectionId": ({ connectionId }) => ({ params: { connectionId } }),
  "DELETE /whatsappsession/:connectionId": ({ connectionId }) => ({ params: { connectionId } }),

  "GET /tickets": ({ queueId, userId }) => ({
    query: {
      searchParam: "marca",
      pageNumber: "1",
      status: "pending",
      showAll: "true",
      queueIds: JSON.stringify([queueId]),
      tags: "[]",
      users: JSON.stringify([userId]),
      date: "2026-01-31",
      updatedAt: "",
      withUnreadMessages: "false",
    },
  }),
  "GET /tickets/counts": ({ queueId }) => ({
    query: { showAll: "false", queueIds: JSON.stringify([queueId]) },
  }),
  "GET /tickets/:ticketId": ({ ticketId }) => ({ params: { ticketId } }),
  "GET /tickets/u/:ticketUuid": ({ ticketUuid }) => ({ params: { ticketUuid } }),
  "PUT /tickets/:ticketId": ({ ticketId }) => ({ params: { ticketId }, body: { status: "open" } }),

  "GET /messages/:ticketId": ({ ticketId }) => ({
    params: { ticketId },
    query: { pageNumber: "1", markRead: "false" },
  }),
  "POST /messages/:ticketId": ({ ticketId, messageId }) => ({
    params: { ticketId },
    body: { body: "Olá! Posso ajudar?", quotedMsg: { id: messageId }, clientId: newClientId() },
  }),
  "POST /messages/:ticketId/read": ({ ticketId }) => ({ params: { ticketId } }),
  "POST /messages/retry/:messageId": ({ failedMessageId }) => ({
    params: { messageId: failedMessageId },
  }),
  "DELETE /messages/failed/:messageId": ({ failedMessageId }) => ({
    params: { messageId: failedMessageId },
  }),

  "GET /simulator/connections": () => ({}),
  "POST /simulator/connections/:connectionId/scan": ({ pairingConnectionId, pairingCode }) => ({
    params: { connectionId: pairingConnectionId },
    body: { code: pairingCode },
  }),
  "POST /simulator/connections/:connectionId/unlink": ({ connectionId }) => ({
    params: { connectionId },
  }),
  "PUT /simulator/connections/:connectionId/network": ({ connectionId }) => ({
    params: { connectionId },
    body: { online: true, delayMs: 0, sendMode: "deliver", autoDeliver: true, autoRead: false },
  }),
  "GET /simulator/connections/:connectionId/chats": ({ connectionId }) => ({
    params: { connectionId },
    query: { searchParam: "" },
  }),
  "POST /simulator/connections/:connectionId/chats": ({ connectionId, phone, mark }) => ({
    params: { connectionId },
    body: { name: mark, phone },
  }),
  "GET /simulator/connections/:connectionId/chats/:phone/messages": ({ connectionId, phone }) => ({
    params: { connectionId, phone },
    query: {},
  }),
  "POST /simulator/connections/:connectionId/chats/:phone/messages": ({ connectionId, phone }) => ({
    params: { connectionId, phone },
    body: { body: "Bom dia", messageId: `SIM-${newClientId()}` },
  }),
  "POST /simulator/connections/:connectionId/chats/:phone/read": ({ connectionId, phone }) => ({
    params: { connectionId, phone },
  }),
  "POST /simulator/connections/:connectionId/chats/:phone/typing": ({ connectionId, phone }) => ({
    params: { connectionId, phone },
    body: { on: true },
  }),
};

/** The valid request of a call by its parts; those that the call does not have are empty. */
export function validParts(name: EndpointName, rows: Rows): CallParts {
  const request: Partial<CallParts> = validRequests[name](rows);
  return { params: { ...request.params }, query: { ...request.query }, body: request.body };
}

export function splitName(name: EndpointName): { method: string; pattern: string } {
  const [method = "", pattern = ""] = name.split(" ");
  return { method, pattern };
}

/** Method, address below the server's root and JSON body of a call. */
export function toWire(name: EndpointName, { params, query, body }: CallParts) {
  const { method, pattern } = splitName(name);
  const path = pattern.replace(/:(\w+)/g, (_, key: string) =>
    encodeURIComponent(String(params[key])),
  );
  const search = new URLSearchParams(
    Object.fromEntries(Object.entries(query).map(([key, value]) => [key, String(value)])),
  );
  const target = `/api${path}${search.size > 0 ? `?${search.toString()}` : ""}`;
  return { method, target, body: body === undefined ? undefined : JSON.stringify(body) };
}
