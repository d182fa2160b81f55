import { encryptedStream } from "baileys";
import { readFile, rm } from "node:fs/promises";
import type { RequestListener, Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { MediaRef } from "../../../port.ts";
import type { MediaLocator } from "../files.ts";
import { encodeLocator } from "../files.ts";

export type EncryptedFile = { encrypted: Buffer; locator: MediaLocator };

/** A file as a phone encrypts it for the network. */
export async function encrypt(
  content: Buffer,
  type: MediaLocator["type"] = "image",
): Promise<EncryptedFile> {
  const made = await encryptedStream(content, type);
  const encrypted = await readFile(made.encFilePath);
  await rm(made.encFilePath);
  const locator = {
    type,
    directPath: "/v/file.enc?x=1",
    mediaKey: made.mediaKey.toString("base64"),
    fileSha256: made.fileSha256.toString("base64"),
    fileEncSha256: made.fileEncSha256.toString("base64"),
    key: { remoteJid: "5511988887777@s.whatsapp.net", id: "A", fromMe: false },
  };
  return { encrypted, locator };
}

export function refOf(locator: MediaLocator): MediaRef {
  return { media: "image", mime: "image/jpeg", locator: encodeLocator(locator) };
}

export type MediaHost = {
  origin: string;
  answer: (listener: RequestListener) => void;
  asked: string[];
  close: () => Promise<void>;
};

/** A media host on this machine. */
export async function startMediaHost(): Promise<MediaHost> {
  let listener: RequestListener = (_request, response) => void response.writeHead(404).end();
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(request.url ?? "");
    listener(request, response);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    answer: (next) => {
      listener = next;
    },
    asked,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
