import type { ConnectionId, SimulatorConnection } from "@balcao/contract";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
import { toChatDto } from "./dto.ts";
import type { LineConnection } from "./line.ts";
import {
  changeNetwork,
  networkOf,
  readLineConnections,
  scanPairingCode,
  unlinkLine,
  withChange,
} from "./line.ts";
import type { Lines } from "./lines.ts";
import { readChats, readMembers } from "./phone-rows.ts";
import {
  addGroup,
  authorIn,
  customerReads,
  customerTypes,
  deliverWaiting,
  freePhone,
  saveChat,
} from "./phones.ts";
import type { StoredMember } from "./stored.ts";

export type SimulatorRoutesDeps = {
  db: Database;
  lines: Lines;
  retryConnection: (tx: Tx, connectionId: ConnectionId) => void;
};

/** The calls of the company's phone, and who there is on the network. Their company is the caller's. */
export function registerSimulatorRoutes(routes: Routes, deps: SimulatorRoutesDeps): void {
  const { db, lines } = deps;

  routes.handle("GET /simulator/connections", async ({ ctx }) => {
    const rows = await db.transaction(ctx, (tx) => readLineConnections(tx, ctx.companyId));
    return rows.map(toConnectionDto);
  });

  routes.handle("POST /simulator/connections/:connectionId/scan", ({ ctx, params, body }) =>
    lines.on(ctx, params.connectionId, async (tx, line) => {
      const isLinked = await scanPairingCode(tx, line, body.code);
      if (!isLinked) throw new DomainError("ERR_SIMULATOR_CODE");
      lines.changed(tx, line, null);
      return { message: "Linked." };
    }),
  );

  routes.handle("POST /simulator/connections/:connectionId/unlink", ({ ctx, params }) =>
    lines.on(ctx, params.connectionId, async (tx, line) => {
      const wasLinked = await unlinkLine(tx, line);
      if (!wasLinked) throw new DomainError("ERR_SIMULATOR_NOT_LINKED");
      lines.changed(tx, line, null);
      return { message: "Unlinked." };
    }),
  );

  routes.handle("PUT /simulator/connections/:connectionId/network", ({ ctx, params, body }) =>
    lines.on(ctx, params.connectionId, async (tx, line, connection) => {
      await changeNetwork(tx, line, body);
      if (body.autoDeliver) await deliverWaiting(tx, line);
      if (body.online) deps.retryConnection(tx, line.connectionId);
      lines.changed(tx, line, null);
      const network = withChange(networkOf(connection.network), body);
      return toConnectionDto({ ...connection, network });
    }),
  );

  routes.handle("GET /simulator/connections/:connectionId/chats", ({ ctx, params, query }) =>
    lines.on(ctx, params.connectionId, async (tx, line) => {
      const chats = await readChats(tx, line, query.searchParam);
      return chats.map(toChatDto);
    }),
  );

  routes.handle("POST /simulator/connections/:connectionId/chats", ({ ctx, params, body }) =>
    lines.on(ctx, params.connectionId, async (tx, line) => {
      const phone = body.phone ?? (await freePhone(tx, line, lines.random));
      const chat = await saveChat(tx, line, { phone, name: body.name });
      lines.changed(tx, line, phone);
      return toChatDto(chat);
    }),
  );

  routes.handle("POST /simulator/connections/:connectionId/groups", ({ ctx, params, body }) =>
    lines.on(ctx, params.connectionId, async (tx, line) => {
      const members: StoredMember[] = [];
      for (const { name, phone } of body.members) {
        members.push({ name, phone: phone ?? (await freePhone(tx, line, lines.random)) });
      }
      const chat = await addGroup(tx, line, { name: body.name, members, random: lines.random });
      lines.changed(tx, line, chat.phone);
      return toChatDto(chat);
    }),
  );

  routes.handle("POST /simulator/connections/:connectionId/chats/:phone/read", ({ ctx, params }) =>
    lines.on(ctx, params.connectionId, async (tx, line) => {
      await customerReads(tx, line, params.phone);
      lines.changed(tx, line, params.phone);
      return { message: "Read." };
    }),
  );

  routes.handle(
    "POST /simulator/connections/:connectionId/chats/:phone/typing",
    ({ ctx, params, body }) =>
      lines.on(ctx, params.connectionId, async (tx, line) => {
        const { phone } = params;
        const author = authorIn({ members: await readMembers(tx, line, phone) }, body.author);
        await customerTypes(tx, line, { phone, on: body.on });
        lines.typed(tx, line, { phone, state: typingState(body), author });
        return { message: "Typing." };
      }),
  );
}

function typingState({ on, isRecording }: { on: boolean; isRecording?: boolean | undefined }) {
  if (!on) return "paused";
  return isRecording ? "recording" : "composing";
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
