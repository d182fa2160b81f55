import type { WAMessage, WASocket } from "baileys";
import { within } from "../runtime/within.ts";
import type { MediaLocator } from "./content/locator.ts";
import { keyOfLocator } from "./content/locator.ts";

/** Asks the customer's phone to put a file on the network again; null when it does not answer or no longer has it. */
export async function renewMedia(
  socket: WASocket,
  locator: MediaLocator,
  limitMs: number,
): Promise<{ directPath: string } | null> {
  const message: WAMessage = { key: keyOfLocator(locator), message: contentOf(locator) };
  try {
    const renewed = await within(limitMs, socket.updateMediaMessage(message));
    const [content] = Object.values(renewed.message ?? {});
    const path: unknown =
      typeof content === "object" && content !== null && "directPath" in content
        ? content.directPath
        : null;
    return typeof path === "string" && path !== "" ? { directPath: path } : null;
  } catch {
    // Whoever asked reports the file as gone.
    return null;
  }
}

function contentOf(locator: MediaLocator): NonNullable<WAMessage["message"]> {
  const file = {
    mediaKey: Buffer.from(locator.mediaKey, "base64"),
    directPath: locator.directPath ?? null,
    url: locator.url ?? null,
  };
  switch (locator.type) {
    case "image":
      return { imageMessage: file };
    case "video":
      return { videoMessage: file };
    case "audio":
      return { audioMessage: file };
    case "document":
      return { documentMessage: file };
    case "sticker":
      return { stickerMessage: file };
  }
}
