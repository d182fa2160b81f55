import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { MediaGone } from "../../port.ts";
import type { MediaLocator } from "./files.ts";
import type { MediaDeps } from "./media.ts";
import { allowedUrl, MediaTooBig, openMedia, placeOf } from "./media.ts";
import type { MediaHost } from "./testing/media-host.ts";
import { encrypt, refOf, startMediaHost } from "./testing/media-host.ts";

let host: MediaHost;

beforeAll(async () => {
  host = await startMediaHost();
});
beforeEach(() => {
  host.asked.length = 0;
});
afterAll(() => host.close());

async function fetched(locator: MediaLocator, deps: Partial<MediaDeps> = {}): Promise<Buffer> {
  const signal = AbortSignal.timeout(10_000);
  const opened = await openMedia(refOf(locator), { signal, extraOrigin: host.origin, ...deps });
  const pieces: Uint8Array[] = [];
  for await (const piece of opened) pieces.push(piece);
  return Buffer.concat(pieces);
}

function serve(content: Uint8Array): void {
  host.answer((_request, response) => void response.end(content));
}

test.each([0, 1, 15, 16, 17, 1_000, 300_000])("a file of %i bytes arrives whole", async (size) => {
  const content = randomBytes(size);
  const { encrypted, locator } = await encrypt(content);
  serve(encrypted);
  expect((await fetched(locator)).equals(content)).toBe(true);
  expect(host.asked).toEqual(["/v/file.enc?x=1"]);
});

test.each(["image", "video", "audio", "document", "sticker"] as const)(
  "a file of kind %s has that kind's keys",
  async (type) => {
    const { encrypted, locator } = await encrypt(Buffer.from("conteúdo"), type);
    serve(encrypted);
    expect((await fetched(locator)).toString()).toBe("conteúdo");
  },
);

test("a file that comes byte by byte arrives whole", async () => {
  const content = randomBytes(100);
  const { encrypted, locator } = await encrypt(content);
  host.answer((_request, response) => void Readable.from(bytesOf(encrypted)).pipe(response));
  expect((await fetched(locator)).equals(content)).toBe(true);
});

async function* bytesOf(content: Buffer): AsyncGenerator<Buffer> {
  for (const byte of content) {
    await new Promise((resolve) => void setImmediate(resolve));
    yield Buffer.from([byte]);
  }
}

test("a large file is given while it is still on its way", async () => {
  const content = randomBytes(200_000);
  const { encrypted, locator } = await encrypt(content);
  let finish = (): void => undefined;
  host.answer((_request, response) => {
    response.write(encrypted.subarray(0, 100_000));
    finish = () => void response.end(encrypted.subarray(100_000));
  });
  const opened = await openMedia(refOf(locator), {
    signal: AbortSignal.timeout(10_000),
    extraOrigin: host.origin,
  });
  const pieces = opened[Symbol.asyncIterator]();
  const first = await pieces.next();
  expect(first.done).toBe(false);
  finish();
  let seen = first.done ? 0 : first.value.length;
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    seen += next.value.length;
  }
  expect(seen).toBe(content.length);
});

test.each<[string, (file: Buffer) => Buffer]>([
  ["a changed byte", (file) => Buffer.concat([Buffer.from([file[0]! ^ 1]), file.subarray(1)])],
  [
    "a changed MAC",
    (file) => Buffer.concat([file.subarray(0, -1), Buffer.from([file.at(-1)! ^ 1])]),
  ],
  ["its end missing", (file) => file.subarray(0, -16)],
  ["something added", (file) => Buffer.concat([file, randomBytes(16)])],
  ["nothing in it", () => Buffer.alloc(0)],
])("a file with %s is refused", async (_name, change) => {
  const { encrypted, locator } = await encrypt(randomBytes(1_000));
  serve(change(encrypted));
  await expect(fetched(locator)).rejects.toThrow("is not what the message says");
});

test("a file that is genuine, but not the message's, is refused", async () => {
  const { encrypted, locator } = await encrypt(Buffer.from("um"));
  serve(encrypted);
  const other = randomBytes(32).toString("base64");
  await expect(fetched({ ...locator, fileSha256: other })).rejects.toThrow("hash");
  await expect(fetched({ ...locator, fileEncSha256: other })).rejects.toThrow("encrypted hash");
  await expect(fetched({ ...locator, mediaKey: other })).rejects.toThrow("MAC");
});

test.each([404, 410])("after %i the file is gone", async (status) => {
  host.answer((_request, response) => void response.writeHead(status).end());
  const { locator } = await encrypt(Buffer.from("um"));
  await expect(fetched(locator)).rejects.toBeInstanceOf(MediaGone);
});

test.each([403, 500, 503])("after %i it is tried again later", async (status) => {
  host.answer((_request, response) => void response.writeHead(status).end());
  const { locator } = await encrypt(Buffer.from("um"));
  const error = await fetched(locator).catch((reason: unknown) => reason);
  expect(error).toEqual(new Error(`the media host answered ${status}`));
});

test.each([403, 404, 410])(
  "after %i the phone is asked once to upload it again",
  async (status) => {
    const { encrypted, locator } = await encrypt(Buffer.from("um"));
    host.answer((request, response) => {
      if (request.url === "/v/again.enc") response.end(encrypted);
      else response.writeHead(status).end();
    });
    const asked: MediaLocator[] = [];
    const renew = async (which: MediaLocator) => {
      asked.push(which);
      return { directPath: "/v/again.enc" };
    };
    expect((await fetched(locator, { renew })).toString()).toBe("um");
    expect(asked).toEqual([locator]);
  },
);

test("a file that the phone no longer has is gone", async () => {
  host.answer((_request, response) => void response.writeHead(404).end());
  const { locator } = await encrypt(Buffer.from("um"));
  await expect(fetched(locator, { renew: async () => null })).rejects.toBeInstanceOf(MediaGone);
  const renew = async () => ({ directPath: "/v/again.enc" });
  await expect(fetched(locator, { renew })).rejects.toBeInstanceOf(MediaGone);
});

test("a file that is too big is not fetched, whether its length is said or not", async () => {
  const { encrypted, locator } = await encrypt(randomBytes(10_000));
  serve(encrypted);
  await expect(fetched(locator, { maxBytes: 9_000 })).rejects.toBeInstanceOf(MediaTooBig);
  host.answer((_request, response) => {
    response.write(encrypted.subarray(0, 100));
    response.end(encrypted.subarray(100));
  });
  await expect(fetched(locator, { maxBytes: 9_000 })).rejects.toBeInstanceOf(MediaGone);
  expect(await fetched(locator, { maxBytes: 10_000 })).toHaveLength(10_000);
});

test("a host that says nothing is waited for as long as the caller wants", async () => {
  host.answer(() => undefined);
  const { locator } = await encrypt(Buffer.from("um"));
  const abort = new AbortController();
  const opening = fetched(locator, { signal: abort.signal });
  abort.abort(new Error("too long"));
  await expect(opening).rejects.toThrow("too long");
});

test("a redirect is followed to an allowed host only", async () => {
  const { encrypted, locator } = await encrypt(Buffer.from("um"));
  const redirect = (to: string) =>
    host.answer((request, response) => {
      if (request.url === "/here") response.end(encrypted);
      else response.writeHead(302, { location: to }).end();
    });
  redirect("/here");
  expect((await fetched(locator)).toString()).toBe("um");
  redirect("http://169.254.169.254/latest");
  await expect(fetched(locator)).rejects.toBeInstanceOf(MediaGone);
  redirect("/there");
  await expect(fetched(locator)).rejects.toThrow("again and again");
});

test("an address that is not the network's is never asked", async () => {
  const { locator } = await encrypt(Buffer.from("um"));
  const { directPath: _, ...rest } = locator;
  const url = `${host.origin}/v/file.enc`;
  const elsewhere = { signal: AbortSignal.timeout(10_000) };
  await expect(openMedia(refOf({ ...rest, url }), elsewhere)).rejects.toBeInstanceOf(MediaGone);
  expect(host.asked).toEqual([]);
});

test("an invalid locator, or one without key, counts as gone", async () => {
  const signal = AbortSignal.timeout(10_000);
  const file = { media: "image", mime: "image/jpeg", locator: "{}" } as const;
  await expect(openMedia(file, { signal })).rejects.toBeInstanceOf(MediaGone);
  const { locator } = await encrypt(Buffer.from("um"));
  await expect(fetched({ ...locator, mediaKey: "" })).rejects.toBeInstanceOf(MediaGone);
});

test.each([
  ["https://mmg.whatsapp.net/v/a", "https://mmg.whatsapp.net/v/a"],
  ["https://media-gru2-1.cdn.whatsapp.net/v/a", "https://media-gru2-1.cdn.whatsapp.net/v/a"],
  ["http://mmg.whatsapp.net/v/a", undefined],
  ["https://mmg.whatsapp.net:8443/v/a", undefined],
  ["https://whatsapp.net.evil.example/v/a", undefined],
  ["https://evilwhatsapp.net/v/a", undefined],
  ["https://user:pass@mmg.whatsapp.net/v/a", undefined],
  ["https://mmg.whatsapp.net@evil.example/v/a", undefined],
  ["https://127.0.0.1/v/a", undefined],
  ["file:///etc/passwd", undefined],
  ["v/a", undefined],
])("%s as an address", (url, expected) => {
  expect(allowedUrl(url)?.href).toBe(expected);
});

test("a path lies on the address's host, or on the usual one, and does not lead elsewhere", () => {
  const place = { type: "image", mediaKey: "AA==", key: { remoteJid: "", id: "", fromMe: false } };
  const hrefOf = (more: object) => placeOf({ ...place, ...more } as MediaLocator)?.href;
  expect(hrefOf({ url: "https://a.whatsapp.net/old", directPath: "/v/a" })).toBe(
    "https://a.whatsapp.net/v/a",
  );
  expect(hrefOf({ directPath: "/v/a?b=1" })).toBe("https://mmg.whatsapp.net/v/a?b=1");
  expect(hrefOf({ url: "https://evil.example/a", directPath: "/v/a" })).toBe(
    "https://mmg.whatsapp.net/v/a",
  );
  expect(hrefOf({ directPath: "//evil.example/a" })).toBeUndefined();
  expect(hrefOf({ directPath: "https://evil.example/a" })).toBeUndefined();
});
