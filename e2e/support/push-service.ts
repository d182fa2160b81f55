import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import type { BrowserContext } from "@playwright/test";
import { expect } from "@playwright/test";

/**
 * A push service with one browser. Chromium's own subscribes at its vendor's only, which is not reached from here: the page gets a
 * subscription of this service, and what the product sends is decrypted with its keys, as a browser does it.
 */
export async function startPushService() {
  const pair = createECDH("prime256v1");
  const p256dh = pair.generateKeys();
  const auth = randomBytes(16);
  const pushed: Buffer[] = [];
  const server = createServer((request, response) => {
    buffer(request).then(
      (body) => {
        pushed.push(body);
        response.writeHead(201).end();
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

  return {
    /** Has the pages of a browser subscribe here. */
    async serve(context: BrowserContext): Promise<void> {
      await context.addInitScript(subscribeHere, {
        endpoint: `http://127.0.0.1:${port}/push/phone`,
        p256dh: [...p256dh],
        auth: [...auth],
      });
    },
    /** Resolves with the message of this number (from 1), as the worker gets it. */
    async message(number: number): Promise<string> {
      await expect.poll(() => pushed.length).toBeGreaterThanOrEqual(number);
      return decrypted(pushed[number - 1] ?? Buffer.alloc(0));
    },
    count: () => pushed.length,
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  /** RFC 8188 with the keys of RFC 8291: one record. */
  function decrypted(body: Buffer): string {
    const theirs = body.subarray(21, 21 + body.readUInt8(20));
    const content = body.subarray(21 + theirs.length);
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), p256dh, theirs]);
    const secret = Buffer.from(hkdfSync("sha256", pair.computeSecret(theirs), auth, info, 32));
    const derive = (name: string, length: number): Buffer => {
      const about = Buffer.from(`Content-Encoding: ${name}\0`);
      return Buffer.from(hkdfSync("sha256", secret, body.subarray(0, 16), about, length));
    };
    const decipher = createDecipheriv("aes-128-gcm", derive("aes128gcm", 16), derive("nonce", 12));
    decipher.setAuthTag(content.subarray(-16));
    const plain = Buffer.concat([decipher.update(content.subarray(0, -16)), decipher.final()]);
    return plain.subarray(0, plain.lastIndexOf(2)).toString("utf8");
  }
}

type Keys = { endpoint: string; p256dh: number[]; auth: number[] };

/** Runs in the page, before its own code. */
function subscribeHere({ endpoint, ...keys }: Keys): void {
  const here = {
    endpoint,
    options: { applicationServerKey: null, userVisibleOnly: true },
    getKey: (name: "p256dh" | "auth") => new Uint8Array(keys[name]).buffer,
    async unsubscribe(): Promise<boolean> {
      localStorage.removeItem("journey.subscribed");
      return true;
    },
  };
  const known = async (): Promise<unknown> =>
    localStorage.getItem("journey.subscribed") === null ? null : here;
  Object.assign(PushManager.prototype, {
    getSubscription: known,
    async subscribe(): Promise<unknown> {
      localStorage.setItem("journey.subscribed", "yes");
      return here;
    },
  });
}
