import type { QuickMessage } from "@balcao/contract";
import { quickMessage } from "@balcao/contract";
import type { SeenRequest } from "../../../testing/fake-server.ts";
import { fakeServer } from "../../../testing/fake-server.ts";
import { givenMessage } from "../../messages/testing/given-message.ts";

type Handlers = Parameters<typeof fakeServer>[0];

const fieldOf = (body: unknown, key: string): unknown =>
  typeof body === "object" && body !== null ? new Map(Object.entries(body)).get(key) : undefined;

/** A server with the tickets 1 and 2, which keeps drafts and takes every message. */
export function composerServer(options: { quickMessages?: QuickMessage[]; more?: Handlers } = {}) {
  const drafts = new Map<number, { body: unknown; quotedMsgId: unknown }>();
  const draftOf = (ticketId: number) => ({
    ticketId,
    body: "",
    quotedMsgId: null,
    updatedAt: null,
    ...drafts.get(ticketId),
  });
  const handlers: Handlers = {
    "GET /api/quick-messages/list": () => ({ body: options.quickMessages ?? [] }),
  };
  for (const ticketId of [1, 2]) {
    handlers[`GET /api/drafts/${ticketId}`] = () => ({ body: draftOf(ticketId) });
    handlers[`PUT /api/drafts/${ticketId}`] = ({ body }) => {
      const quotedMsgId = fieldOf(body, "quotedMsgId") ?? null;
      drafts.set(ticketId, { body: fieldOf(body, "body"), quotedMsgId });
      return { body: draftOf(ticketId) };
    };
    handlers[`POST /api/messages/${ticketId}`] = () => ({
      body: givenMessage(50, { fromMe: true, ticketId }),
    });
  }
  const { requests } = fakeServer({ ...handlers, ...options.more });
  const posted = (): SeenRequest[] =>
    requests.filter(({ call }) => /^POST \/api\/messages\/\d+$/.test(call));
  return {
    requests,
    drafts,
    /** The texts that were sent, in order. */
    sentBodies: (): unknown[] => posted().map(({ body }) => fieldOf(body, "body")),
    sent: (): unknown[] => posted().map(({ body }) => body),
  };
}

export function givenQuickMessage(id: number, fields: Partial<QuickMessage> = {}): QuickMessage {
  const at = "2026-11-20T10:00:00.000Z";
  return {
    ...quickMessage.parse({
      id,
      shortcode: `codigo${id}`,
      message: `texto ${id}`,
      geral: true,
      status: true,
      isMedia: false,
      folder: "",
      usedCount: 0,
      mediaPath: null,
      mediaName: null,
      mediaMime: null,
      userId: null,
      companyId: 3,
      createdAt: at,
      updatedAt: at,
    }),
    ...fields,
  };
}
