import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { MediaType } from "baileys";
import {
  aesDecryptWithIV,
  aesEncrypWithIV,
  getMediaKeys,
  hmacSign,
  MEDIA_PATH_MAP,
  sha256,
} from "baileys";
import { newTlsCertificate } from "../../../testing/tls-certificate.ts";

/** The host of encrypted files: it takes what clients upload and gives out what was sent. */
export type MediaHost = {
  /** With port; speaks https with `certificatePem`. */
  host: string;
  certificatePem: string;
  /** Encrypts a file as a phone does; answers the fields of its message. */
  keep(bytes: Uint8Array, type: MediaType): Promise<KeptFile>;
  /** The content of a file of which a message tells. */
  open(file: SentFile, type: MediaType): Promise<Buffer>;
  setPicture(jid: string, bytes: Uint8Array): void;
  pictureOf(jid: string): string | undefined;
  /** Forgets every file, as the service does after some weeks. */
  forget(): void;
  /** A phone uploads a forgotten file again; answers where, null when it does not have it any more. */
  renew(file: SentFile): string | null;
  uploads(): number;
  close(): Promise<void>;
};

export type KeptFile = {
  url: string;
  directPath: string;
  mediaKey: Buffer;
  fileSha256: Buffer;
  fileEncSha256: Buffer;
  fileLength: number;
};

export type SentFile = {
  directPath?: string | null;
  mediaKey?: Uint8Array | null;
  fileSha256?: Uint8Array | null;
  fileEncSha256?: Uint8Array | null;
};

const MAC_BYTES = 10;

export async function openMediaHost(): Promise<MediaHost> {
  const files = new Map<string, Buffer>();
  const onPhones = new Map<string, Buffer>();
  const pictures = new Map<string, string>();
  let uploads = 0;
  const { certificate, key } = newTlsCertificate();
  const server = createServer({ cert: certificate, key }, (request, response) => {
    void serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  function put(bytes: Buffer, folder: string): string {
    const path = `${folder}/${createHash("sha256").update(bytes).digest("hex")}`;
    files.set(path, bytes);
    return path;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", `https://${host}`);
    if (request.method === "POST") {
      const path = put(await bodyOf(request), Object.values(MEDIA_PATH_MAP)[0] ?? "/mms");
      uploads += 1;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ url: `https://${host}${path}`, direct_path: path }));
      return;
    }
    const bytes = files.get(pathname);
    response.statusCode = bytes ? 200 : 410;
    response.setHeader("content-length", bytes?.length ?? 0);
    response.end(bytes);
  }

  return {
    host,
    certificatePem: certificate,
    keep: async (bytes, type) => {
      const mediaKey = randomBytes(32);
      const { iv, cipherKey, macKey } = await getMediaKeys(mediaKey, type);
      const cipher = aesEncrypWithIV(Buffer.from(bytes), Buffer.from(cipherKey), Buffer.from(iv));
      const mac = hmacSign(Buffer.concat([iv, cipher]), macOf(macKey)).subarray(0, MAC_BYTES);
      const encrypted = Buffer.concat([cipher, mac]);
      const directPath = put(encrypted, "/v/t62");
      return {
        ...{ url: `https://${host}${directPath}`, directPath, mediaKey },
        fileSha256: sha256(Buffer.from(bytes)),
        fileEncSha256: sha256(encrypted),
        fileLength: bytes.byteLength,
      };
    },
    open: async ({ directPath, mediaKey, fileSha256, fileEncSha256 }, type) => {
      const encrypted = files.get(directPath ?? "");
      if (!encrypted || !mediaKey) throw new Error(`no file of the path ${directPath}`);
      if (!sha256(encrypted).equals(fileEncSha256 ?? Buffer.alloc(0))) {
        throw new Error("the hash of the encrypted file is another one");
      }
      const { iv, cipherKey, macKey } = await getMediaKeys(Buffer.from(mediaKey), type);
      const cipher = encrypted.subarray(0, -MAC_BYTES);
      const mac = hmacSign(Buffer.concat([iv, cipher]), macOf(macKey)).subarray(0, MAC_BYTES);
      if (!mac.equals(encrypted.subarray(-MAC_BYTES))) throw new Error("the file was changed");
      const plain = aesDecryptWithIV(cipher, Buffer.from(cipherKey), Buffer.from(iv));
      if (!sha256(plain).equals(fileSha256 ?? Buffer.alloc(0))) {
        throw new Error("the hash of the file is another one");
      }
      return plain;
    },
    setPicture: (jid, bytes) => {
      pictures.set(jid, `https://${host}${put(Buffer.from(bytes), "/pps")}`);
    },
    pictureOf: (jid) => pictures.get(jid),
    forget: () => {
      for (const [path, bytes] of files) onPhones.set(path, bytes);
      files.clear();
    },
    renew: ({ directPath }) => {
      const bytes = onPhones.get(directPath ?? "");
      return bytes ? put(bytes, "/v/renewed") : null;
    },
    uploads: () => uploads,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function macOf(key: Uint8Array | null | undefined): Buffer {
  if (!key) throw new Error("no key for the file's code");
  return Buffer.from(key);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
