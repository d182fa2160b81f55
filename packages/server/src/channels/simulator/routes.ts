import type {
  ConnectionId,
  MediaKind,
  SimulatorConnection,
  SimulatorUploadFields,
  SimulatorWriteBody,
} from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { malformed } from "../../platform/http/body.ts";
import type { Routes, Upload } from "../../platform/http/routes.ts";
import { MediaTooLarge } from "../../platform/media/media-store.ts";
import { customerChanges } from "./changes-of-messages.ts";
import type { NetworkFiles } from "./content.ts";
import { longest, textOfContent } from "./content.ts";
import type { LineConnection, Lines } from "./line.ts";
import {
  changeNetwork,
  networkOf,
  readLineConnections,
  scanPairingCode,
  unlinkLine,
  withChange,
} from "./line.ts";
import type { NetworkChange, StoredFile, StoredMember } from "./phones.ts";
import {
  addGroup,
  authorIn,
  customerReads,
  customerTypes,
  deliverWaiting,
  freePhone,
  readChats,
  readConversation,
  readMembers,
  readMessage,
  saveChat,
  toChatDto,
  toMessageDto,
} from "./phones.ts";
import type { Writing } from "./traffic.ts";
import { customerWrites } from "./traffic.ts";

type SimulatorRoutesDeps = {
  db: Database;
  lines: Lines;
  retryConnection: (tx: Tx, connectionId: ConnectionId) => void;
};

/** The calls of the company's phone and of the network's chats, for the caller's company. */
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

type MessageRoutesDeps = { lines: Lines; files: NetworkFiles };

type Chat = { connectionId: ConnectionId; phone: string };

const WRITE = "POST /simulator/connections/:connectionId/chats/:phone/messages";

/** The calls of the customers' phones about messages. */
export function registerMessageRoutes(routes: Routes, { lines, files }: MessageRoutesDeps): void {
  async function write(ctx: UserCtx, connectionId: ConnectionId, writing: Writing) {
    return lines.on(ctx, connectionId, async (tx, line) => {
      const { message, isNew } = await customerWrites(tx, line, writing);
      lines.changed(tx, line, writing.phone);
      return { reply: toMessageDto(connectionId, message), isNew };
    });
  }

  async function writeFile(ctx: UserCtx, chat: Chat, upload: Upload<typeof WRITE>) {
    // Check first that the line is the company's.
    await lines.on(ctx, chat.connectionId, () => Promise.resolve());
    const fields = await upload.fields();
    const file = await receiveFile(files, ctx, fields.as, upload);
    try {
      const writing = fileWriting(chat.phone, lines.newId(), fields, file);
      const { reply, isNew } = await write(ctx, chat.connectionId, writing);
      if (!isNew) await files.remove(ctx, file.key);
      return reply;
    } catch (error) {
      await files.remove(ctx, file.key);
      throw error;
    }
  }

  function change(
    ctx: UserCtx,
    connectionId: ConnectionId,
    wanted: NetworkChange,
    author?: string,
  ) {
    return lines.on(ctx, connectionId, async (tx, line) => {
      const request = { change: wanted, id: lines.newId(), author };
      const message = await customerChanges(tx, line, request);
      lines.changed(tx, line, message.phone);
      return toMessageDto(connectionId, message);
    });
  }

  routes.handle(
    "GET /simulator/connections/:connectionId/chats/:phone/messages",
    ({ ctx, params, query }) =>
      lines.on(ctx, params.connectionId, async (tx, line) => {
        const page = { phone: params.phone, beforeId: query.beforeId };
        const messages = await readConversation(tx, line, page);
        return messages.map((message) => toMessageDto(line.connectionId, message));
      }),
  );

  routes.handle(WRITE, async ({ ctx, params, body, upload }) => {
    if (upload) return writeFile(ctx, params, upload);
    const writing = textWriting(params.phone, body.messageId ?? lines.newId(), body);
    const { reply } = await write(ctx, params.connectionId, writing);
    return reply;
  });

  routes.handle(
    "POST /simulator/connections/:connectionId/chats/:phone/calls",
    async ({ ctx, params, body }) => {
      const call = { isVideo: body.isVideo ?? false, isRefused: false };
      const { phone } = params;
      const { author } = body;
      const writing = { phone, id: lines.newId(), kind: "call" as const, body: "", author };
      const { reply } = await write(ctx, params.connectionId, { ...writing, details: { call } });
      return reply;
    },
  );

  routes.handle(
    "PUT /simulator/connections/:connectionId/messages/:messageId",
    ({ ctx, params, body }) =>
      change(ctx, params.connectionId, {
        kind: "edit",
        targetId: params.messageId,
        text: body.body,
      }),
  );

  routes.handle(
    "DELETE /simulator/connections/:connectionId/messages/:messageId",
    ({ ctx, params }) =>
      change(ctx, params.connectionId, { kind: "revoke", targetId: params.messageId }),
  );

  routes.handle(
    "POST /simulator/connections/:connectionId/messages/:messageId/reactions",
    ({ ctx, params, body }) => {
      const emoji = body.emoji === "" ? null : body.emoji;
      const reaction = { kind: "reaction", targetId: params.messageId, emoji } as const;
      return change(ctx, params.connectionId, reaction, body.author);
    },
  );

  routes.handle(
    "GET /simulator/connections/:connectionId/messages/:messageId/file",
    async ({ ctx, params, reply }) => {
      const message = await lines.on(ctx, params.connectionId, (tx, line) =>
        readMessage(tx, line, params.messageId),
      );
      const file = message?.details?.file;
      const opened = file && (await files.open(ctx, file.key));
      if (!opened) throw new DomainError("ERR_NO_MESSAGE_FOUND");
      // The sender chose the type: no browser may treat the file as one of our pages.
      reply.headers({
        "content-type": shownType(file.mime),
        "content-length": opened.bytes,
        "content-disposition": "attachment",
        "content-security-policy": "sandbox",
        "cache-control": "private, no-store",
      });
      return opened.stream;
    },
  );
}

/** Images, audio and video with their type; other files as bytes. */
function shownType(mime: string): string {
  const type = /^(image\/(?:png|jpeg|gif|webp)|audio\/[a-z0-9.+-]+|video\/[a-z0-9.+-]+)/i.exec(
    mime,
  );
  return type?.[0] ?? "application/octet-stream";
}

function textWriting(phone: string, id: string, body: SimulatorWriteBody): Writing {
  const { content, quotedId, isForwarded, author } = body;
  const isText = content === undefined || content.kind === "ad";
  return {
    phone,
    id,
    kind: isText ? "text" : content.kind,
    body: isText ? (body.body ?? "") : textOfContent(content),
    details: content === undefined ? null : { content },
    quotedId,
    isForwarded,
    author,
  };
}

function fileWriting(
  phone: string,
  newId: string,
  fields: SimulatorUploadFields,
  file: StoredFile,
): Writing {
  const { durationMs } = fields;
  return {
    phone,
    id: fields.messageId ?? newId,
    kind: fields.as,
    body: fields.caption ?? "",
    details: {
      file: durationMs === undefined ? file : { ...file, durationMs: Number(durationMs) },
    },
    quotedId: fields.quotedId,
    author: fields.author,
    isForwarded: fields.isForwarded === "true",
    isViewOnce: fields.isViewOnce === "true",
  };
}

async function receiveFile(
  files: NetworkFiles,
  ctx: UserCtx,
  kind: MediaKind,
  upload: Upload<typeof WRITE>,
): Promise<StoredFile> {
  let kept: StoredFile | undefined;
  try {
    for await (const { name, claimedMime, content } of upload.files()) {
      // PostgreSQL cannot store it.
      if (name.includes("\u0000")) throw malformed("body.file", "its name must not contain NUL");
      const fileName = name.slice(-limits.fileNameMax) || "arquivo";
      try {
        kept = await files.keep(ctx, { name: fileName, mime: claimedMime, kind, content });
      } catch (error) {
        if (!(error instanceof MediaTooLarge)) throw error;
        throw new DomainError("ERR_FILE_TOO_LARGE", { name: fileName, maxBytes: longest(kind) });
      }
    }
  } catch (error) {
    if (kept) await files.remove(ctx, kept.key);
    throw error;
  }
  if (!kept) throw new DomainError("ERR_FILE_MISSING");
  return kept;
}
