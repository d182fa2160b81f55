import type { Address, OutboundBody, OutboundMedia } from "../port.ts";

/** Which field of a request names somebody by his business-scoped id. */
export type BsuidField = "recipient" | "to";

/** What a message says, in Meta's words. */
export type WireContent = { type: string } & Readonly<Record<string, unknown>>;

/** A voice message is shown as one only in this form. */
const VOICE = "audio/ogg";

/** The request of one message. `ours` comes back with its statuses. */
export function messagePayload(
  content: WireContent,
  {
    to,
    bsuidField,
    ours,
    quotedWamid,
  }: { to: Address; bsuidField: BsuidField; ours: string; quotedWamid: string | null },
): Readonly<Record<string, unknown>> {
  return {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    ...(to.kind === "bsuid" ? { [bsuidField]: to.value } : { to: to.value }),
    ...content,
    ...(quotedWamid === null ? {} : { context: { message_id: quotedWamid } }),
    biz_opaque_callback_data: ours,
  };
}

export function textContent(text: string): WireContent {
  return { type: "text", text: { body: text, preview_url: true } };
}

/** A file that Meta has already, under its id. */
export function mediaContent({ media, file, caption }: OutboundMedia, id: string): WireContent {
  const captioned = caption === undefined ? { id } : { id, caption };
  switch (media) {
    case "image":
      return { type: "image", image: captioned };
    case "video":
      return { type: "video", video: captioned };
    case "document":
      return { type: "document", document: { ...captioned, filename: file.name } };
    case "sticker":
      return { type: "sticker", sticker: { id } };
    case "audio":
      return { type: "audio", audio: { id } };
    case "voice":
      return {
        type: "audio",
        audio: { id, ...(file.mime.startsWith(VOICE) ? { voice: true } : {}) },
      };
  }
}

export function templateContent(
  template: Extract<OutboundBody, { kind: "template" }>,
): WireContent {
  const { name, language, components } = template;
  return {
    type: "template",
    template: {
      name,
      language: { code: language },
      ...(components.length === 0 ? {} : { components }),
    },
  };
}

export function reactionContent(wamid: string, emoji: string | null): WireContent {
  return { type: "reaction", reaction: { message_id: wamid, emoji: emoji ?? "" } };
}

/** Whether an id is one of Meta's: what came over another channel before has none. */
export function isWamid(id: string): boolean {
  return id.startsWith("wamid.");
}
