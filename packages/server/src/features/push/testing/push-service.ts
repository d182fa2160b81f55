import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import type { PushPayload } from "@balcao/contract";
import { pushPayload } from "@balcao/contract";
import { createLocalJWKSet, jwtVerify } from "jose";
import { vi } from "vitest";
import { atEndOfFile } from "../../../testing/end-of-file.ts";

type Pushed = { browser: string; headers: IncomingHttpHeaders; body: Buffer };

/** A browser with its keys, as it subscribes at the service. */
export type TestBrowser = {
  name: string;
  subscription: { endpoint: string; keys: { p256dh: string; auth: string } };
  /** All messages that have come, decrypted as a browser does it. */
  shown(): PushPayload[];
  /** Resolves with the message of this number (from 1). */
  next(number: number): Promise<PushPayload>;
};

/** A push service over real HTTP. What it answers can be set for each browser. */
export async function startPushService() {
  const pushed: Pushed[] = [];
  const statuses = new Map<string, number>();
  const server = createServer((request, response) => {
    const browser = (request.url ?? "").replace("/push/", "");
    buffer(request).then(
      (body) => {
        pushed.push({ browser, headers: request.headers, body });
        response.writeHead(statuses.get(browser) ?? 201).end();
      },
      () => response.destroy(),
    );
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (address === null || typeof address === "string") throw new Error("no TCP address");
      resolve(address.port);
    });
  });
  atEndOfFile(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const host = `127.0.0.1:${port}`;

  return {
    ...{ host, pushed },
    answers: (browser: TestBrowser, status: number) => statuses.set(browser.name, status),
    browser(): TestBrowser {
      const name = randomBytes(9).toString("base64url");
      const pair = createECDH("prime256v1");
      const p256dh = pair.generateKeys("base64url");
      const auth = randomBytes(16);
      const shown = () =>
        pushed
          .filter((one) => one.browser === name)
          .map(({ body }) => pushPayload.parse(JSON.parse(decrypted(body, pair, auth))));
      return {
        name,
        subscription: {
          endpoint: `http://${host}/push/${name}`,
          keys: { p256dh, auth: auth.toString("base64url") },
        },
        shown,
        next: (number) =>
          vi.waitFor(
            () => {
              const message = shown()[number - 1];
              if (!message) throw new Error(`message ${number} has not come`);
              return message;
            },
            { interval: 10 },
          ),
      };
    },
  };
}

/** RFC 8188 with the keys of RFC 8291: one record. */
function decrypted(body: Buffer, pair: ReturnType<typeof createECDH>, authSecret: Buffer): string {
  const salt = body.subarray(0, 16);
  const idLength = body.readUInt8(20);
  const theirs = body.subarray(21, 21 + idLength);
  const content = body.subarray(21 + idLength);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), pair.getPublicKey(), theirs]);
  const shared = pair.computeSecret(theirs);
  const ikm = Buffer.from(hkdfSync("sha256", shared, authSecret, info, 32));
  const derive = (name: string, length: number): Buffer =>
    Buffer.from(hkdfSync("sha256", ikm, salt, Buffer.from(`Content-Encoding: ${name}\0`), length));
  const decipher = createDecipheriv("aes-128-gcm", derive("aes128gcm", 16), derive("nonce", 12));
  decipher.setAuthTag(content.subarray(-16));
  const plain = Buffer.concat([decipher.update(content.subarray(0, -16)), decipher.final()]);
  return plain.subarray(0, plain.lastIndexOf(2)).toString("utf8");
}

/** The claims of the signature of a message, checked with the key that browsers subscribe with. */
export async function claimsOf({ headers }: Pushed, publicKey: string) {
  const [, token = "", key] = /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization ?? "") ?? [];
  const point = Buffer.from(publicKey, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) =>
    part.toString("base64url"),
  );
  const keys = createLocalJWKSet({ keys: [{ kty: "EC", crv: "P-256", x: x ?? "", y: y ?? "" }] });
  const { payload } = await jwtVerify(token, keys);
  return { ...payload, isOurs: key === publicKey };
}
