import type { MediaKind } from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { MediaRow } from "./message-row.ts";

/** Stands where the text of a file would, when the file can never be had (behaviour 1.8). */
export const UNAVAILABLE_BODY = "[Mídia não disponível]";

/** Names for files that come without one, and what stands on a ticket's card for such a file. */
const words: Record<MediaKind, { file: string; card: string }> = {
  image: { file: "imagem", card: "Imagem" },
  video: { file: "video", card: "Vídeo" },
  audio: { file: "audio", card: "Áudio" },
  voice: { file: "audio", card: "Áudio" },
  document: { file: "documento", card: "Documento" },
  sticker: { file: "figurinha", card: "Figurinha" },
};

type NamedMedia = Pick<MediaRow, "kind" | "name">;

/** Text of a file's message: the caption, else its name; of audio and stickers a word (behaviour 1.2). */
export function mediaBody({ kind, name }: NamedMedia, caption: string): string {
  if (caption.trim() !== "" && kind !== "sticker") return caption;
  switch (kind) {
    case "audio":
    case "voice":
      return "Áudio";
    case "sticker":
      return "sticker";
    case "image":
    case "video":
    case "document":
      return name;
  }
}

/** The caption in a file's text; null when the text only stands for the file. */
export function captionOf(body: string, media: NamedMedia): string | null {
  return body === mediaBody(media, "") || body === UNAVAILABLE_BODY ? null : body;
}

/** What a file is called on the card: the caption, its own name, or a plain word. */
export function mediaCard(body: string, media: NamedMedia): string {
  const { file, card } = words[media.kind];
  const isNameless = mediaBody(media, "") !== media.name || media.name.startsWith(`${file}.`);
  return captionOf(body, media) ?? (isNameless ? card : media.name);
}

/** The first half of the content type; a sticker is an image, a voice message an audio (wire-contract 2.8). */
export function mediaTypeOf({ kind, mime }: Pick<MediaRow, "kind" | "mime">): string {
  switch (kind) {
    case "image":
    case "sticker":
      return "image";
    case "video":
      return "video";
    case "audio":
    case "voice":
      return "audio";
    case "document":
      return /^[a-z]+(?=\/)/.exec(mime)?.[0] ?? "application";
  }
}

const extensions: Readonly<Record<string, string>> = {
  "audio/mpeg": "mp3",
  "image/jpeg": "jpg",
  "video/quicktime": "mov",
};

/** The file's own name without folders, or one made for it. */
export function mediaName(kind: MediaKind, mime: string, ownName = ""): string {
  const base = ownName.split(/[/\\]/).at(-1)?.trim() ?? "";
  if (base !== "") return Array.from(base).slice(0, limits.fileNameMax).join("");
  const type = mime.split(";", 1)[0]?.trim() ?? "";
  const subtype = /\/([a-z0-9]{1,8})$/.exec(type)?.[1] ?? "bin";
  return `${words[kind].file}.${extensions[type] ?? subtype}`;
}
