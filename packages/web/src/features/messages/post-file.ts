import type { Message } from "@balcao/contract";
import { upload } from "../../api/upload.ts";
import { writeMessageEvent } from "./history-cache.ts";
import type { UnsentMessage } from "./unsent-messages.ts";

/** Brings one file to the server as one message; the same `clientId` twice is one message. */
export async function postFile(
  message: UnsentMessage,
  file: File,
  options: { signal: AbortSignal; onProgress: (part: number) => void },
): Promise<Message> {
  const { ticketId, clientId, body, quotedMsgId } = message;
  const stored = await upload(
    "POST /messages/:ticketId",
    {
      params: { ticketId },
      fields: { fromMe: "true", clientId, body, ...(quotedMsgId === null ? {} : { quotedMsgId }) },
      files: { medias: [file] },
    },
    options,
  );
  writeMessageEvent({ action: "create", message: stored });
  return stored;
}
