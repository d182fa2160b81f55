import type {
  ConnectionId,
  MediaKind,
  SimulatorUploadFields,
  SimulatorWriteBody,
} from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import { malformed } from "../../platform/http/json-body.ts";
import type { Routes, Upload } from "../../platform/http/routes.ts";
import { MediaTooLarge } from "../../platform/media/media-store.ts";
import { customerChanges } from "./customer-changes.ts";
import { toMessageDto } from "./dto.ts";
import type { NetworkFiles } from "./files.ts";
import { longest } from "./files.ts";
import type { Lines } from "./lines.ts";
import { readConversation, readMessage } from "./phone-rows.ts";
import type { Writing } from "./phones.ts";
import { customerWrites } from "./phones.ts";
import { textOfContent } from "./shown-text.ts";
import type { NetworkChange, StoredFile } from "./stored.ts";

export type MessageRoutesDeps = { lines: Lines; files: NetworkFiles };

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
    // Before anything is kept: the line must be the company's.
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
      // Whoever sent it chose the type: no browser may take it for a page of ours.
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

/** Pictures, sound and film as they are; all else as bytes. */
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
      // PostgreSQL's texts hold none.
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
