import type {
  CompanyId,
  ConnectionId,
  SimulatorConnection,
  SimulatorMessage,
} from "@balcao/contract";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { toIso, toIsoOrNull } from "../../platform/db/row-dates.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Random } from "../../platform/sources.ts";
import type { Changes } from "./changes.ts";
import type { LineConnection, LineRef } from "./line.ts";
import {
  changeNetwork,
  networkOf,
  readLineConnections,
  scanPairingCode,
  unlinkLine,
  withChange,
} from "./line.ts";
import type { Chat, PhoneMessage } from "./phones.ts";
import {
  customerReads,
  customerTypes,
  customerWrites,
  deliverWaiting,
  isKnownPhone,
  randomPhone,
  readChats,
  readConversation,
  saveChat,
} from "./phones.ts";
import { lineTopic, typingTopic } from "./topics.ts";

export type SimulatorRoutesDeps = {
  db: Database;
  wake: Wake;
  changes: Changes;
  random: Random;
  retryConnection: (tx: Tx, connectionId: ConnectionId) => void;
};

/** The calls of the customers' and the company's phones. Their company is the caller's. */
export function registerSimulatorRoutes(routes: Routes, deps: SimulatorRoutesDeps): void {
  const { db, wake, changes, random } = deps;

  /** Runs with a simulated connection of the company; everything else is "not found". */
  function onLine<T>(
    { companyId }: { companyId: CompanyId },
    connectionId: ConnectionId,
    work: (tx: Tx, line: LineRef, connection: LineConnection) => Promise<T>,
  ): Promise<T> {
    return db.transaction({ companyId }, async (tx) => {
      const [connection] = await readLineConnections(tx, companyId, connectionId);
      if (!connection) throw new DomainError("ERR_NO_WAPP_FOUND");
      return work(tx, { companyId, connectionId }, connection);
    });
  }

  /** After the commit: the owner of the line looks, and the pages. */
  function changed(tx: Tx, line: LineRef, phone: string | null): void {
    wake.notify(tx, lineTopic(line.connectionId));
    tx.onCommit(() => changes.notice(line.companyId, line.connectionId, phone));
  }

  routes.handle("GET /simulator/connections", async ({ ctx }) => {
    const rows = await db.transaction(ctx, (tx) => readLineConnections(tx, ctx.companyId));
    return rows.map(toConnectionDto);
  });

  routes.handle("POST /simulator/connections/:connectionId/scan", ({ ctx, params, body }) =>
    onLine(ctx, params.connectionId, async (tx, line) => {
      const isLinked = await scanPairingCode(tx, line, body.code);
      if (!isLinked) throw new DomainError("ERR_SIMULATOR_CODE");
      changed(tx, line, null);
      return { message: "Linked." };
    }),
  );

  routes.handle("POST /simulator/connections/:connectionId/unlink", ({ ctx, params }) =>
    onLine(ctx, params.connectionId, async (tx, line) => {
      const wasLinked = await unlinkLine(tx, line);
      if (!wasLinked) throw new DomainError("ERR_SIMULATOR_NOT_LINKED");
      changed(tx, line, null);
      return { message: "Unlinked." };
    }),
  );

  routes.handle("PUT /simulator/connections/:connectionId/network", ({ ctx, params, body }) =>
    onLine(ctx, params.connectionId, async (tx, line, connection) => {
      await changeNetwork(tx, line, body);
      if (body.autoDeliver) await deliverWaiting(tx, line);
      if (body.online) deps.retryConnection(tx, line.connectionId);
      changed(tx, line, null);
      const network = withChange(networkOf(connection.network), body);
      return toConnectionDto({ ...connection, network });
    }),
  );

  routes.handle("GET /simulator/connections/:connectionId/chats", ({ ctx, params, query }) =>
    onLine(ctx, params.connectionId, async (tx, line) => {
      const chats = await readChats(tx, line, query.searchParam);
      return chats.map(toChatDto);
    }),
  );

  routes.handle("POST /simulator/connections/:connectionId/chats", ({ ctx, params, body }) =>
    onLine(ctx, params.connectionId, async (tx, line) => {
      const phone = body.phone ?? (await freePhone(tx, line, random));
      const chat = await saveChat(tx, line, { phone, name: body.name });
      changed(tx, line, phone);
      return toChatDto(chat);
    }),
  );

  routes.handle(
    "GET /simulator/connections/:connectionId/chats/:phone/messages",
    ({ ctx, params, query }) =>
      onLine(ctx, params.connectionId, async (tx, line) => {
        const page = { phone: params.phone, beforeId: query.beforeId };
        const messages = await readConversation(tx, line, page);
        return messages.map(toMessageDto);
      }),
  );

  routes.handle(
    "POST /simulator/connections/:connectionId/chats/:phone/messages",
    ({ ctx, params, body }) =>
      onLine(ctx, params.connectionId, async (tx, line) => {
        const { phone } = params;
        const id = body.messageId ?? `SIM${random.hex(9).toUpperCase()}`;
        const message = await customerWrites(tx, line, { phone, id, body: body.body });
        // The id is taken by another conversation.
        if (message.phone !== phone) throw new DomainError("ERR_INVALID_REQUEST");
        changed(tx, line, phone);
        return toMessageDto(message);
      }),
  );

  routes.handle("POST /simulator/connections/:connectionId/chats/:phone/read", ({ ctx, params }) =>
    onLine(ctx, params.connectionId, async (tx, line) => {
      await customerReads(tx, line, params.phone);
      changed(tx, line, params.phone);
      return { message: "Read." };
    }),
  );

  routes.handle(
    "POST /simulator/connections/:connectionId/chats/:phone/typing",
    ({ ctx, params, body }) =>
      onLine(ctx, params.connectionId, async (tx, line) => {
        await customerTypes(tx, line, { phone: params.phone, on: body.on });
        wake.notify(tx, typingTopic(line.connectionId, params.phone, body.on));
        return { message: "Typing." };
      }),
  );
}

async function freePhone(tx: Tx, line: LineRef, random: Random): Promise<string> {
  for (;;) {
    const phone = randomPhone(random);
    if (!(await isKnownPhone(tx, line, phone))) return phone;
  }
}

function toConnectionDto(row: LineConnection): SimulatorConnection {
  return {
    id: row.connectionId,
    name: row.name,
    status: row.status,
    linked: row.linked ?? false,
    qrcode: row.qrcode,
    network: networkOf(row.network),
  };
}

function toChatDto(chat: Chat) {
  return { ...chat, lastMessageAt: toIsoOrNull(chat.lastMessageAt) };
}

function toMessageDto({ id, fromCustomer, body, at, ack }: PhoneMessage): SimulatorMessage {
  return { id, fromCustomer, body, at: toIso(at), ack };
}
