import { request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { createDatabase } from "../database.ts";
import { film, recorded } from "../media-samples.ts";
import { newInstallation } from "./crash/installation.ts";

const MEGABYTE = 1024 * 1024;
const VIDEO_MEGABYTES = 200;
const MAY_GROW_BYTES = 50 * MEGABYTE;

test(
  "a video of 200 MB goes through the product without filling its memory",
  { timeout: 240_000 },
  async () => {
    const environment = { DATABASE_URL: await createDatabase() };
    const installation = await newInstallation({ environment });
    const { url } = installation;
    const token = await signIn(url, installation.accounts().admin);
    const start = await recorded("f.mp4", film(1));
    const upload = async (megabytes: number): Promise<number> => {
      const id = await addQuickMessage(url, token);
      const path = `/api/quick-messages/${id}/media-upload`;
      return sendVideo(`${url}${path}`, token, { start, megabytes });
    };
    // The modules that a first upload loads are loaded once.
    await upload(20);

    const before = await memoryOf(url);
    const sent = upload(VIDEO_MEGABYTES);
    const highest = await highestMemory(url, sent);
    expect(await sent).toBe(200);
    expect(highest - before).toBeLessThan(MAY_GROW_BYTES);
  },
);

async function signIn(url: string, account: { email: string; password: string }): Promise<string> {
  const reply = await post(`${url}/api/auth/login`, {}, account);
  return String(Reflect.get(reply, "token"));
}

async function addQuickMessage(url: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const reply = await post(`${url}/api/quick-messages`, headers, { shortcode: "vídeo" });
  return Number(Reflect.get(reply, "id"));
}

async function post(url: string, headers: Record<string, string>, body: unknown): Promise<object> {
  const reply = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const answer: unknown = await reply.json();
  if (!reply.ok || typeof answer !== "object" || answer === null) throw new Error(url);
  return answer;
}

/** Resident memory of the process, as it says itself. */
async function memoryOf(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const bytes = /^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1];
  if (bytes === undefined) throw new Error("the process does not say how large it is");
  return Number(bytes);
}

/** The most that the process takes until something has happened. */
async function highestMemory(url: string, happening: Promise<unknown>): Promise<number> {
  const over = new AbortController();
  void happening.finally(() => over.abort()).catch(() => undefined);
  let highest = 0;
  while (!over.signal.aborted) {
    highest = Math.max(highest, await memoryOf(url));
    await delay(50);
  }
  return highest;
}

/** Sends a film followed by filling, made while it is sent. Answers the status. */
async function sendVideo(
  url: string,
  token: string,
  { start, megabytes }: { start: Buffer; megabytes: number },
): Promise<number> {
  const head = `--AaB\r\nContent-Disposition: form-data; name="file"; filename="filme.mp4"\r\n\r\n`;
  const tail = "\r\n--AaB--\r\n";
  const filling = Buffer.alloc(MEGABYTE);
  const box = Buffer.alloc(8);
  box.writeUInt32BE(box.length + megabytes * MEGABYTE);
  box.write("free", 4);
  const bytes = head.length + start.length + box.length + megabytes * MEGABYTE + tail.length;
  const outgoing = request(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "multipart/form-data; boundary=AaB",
      "content-length": bytes,
    },
  });
  const status = new Promise<number>((resolve, reject) => {
    outgoing.on("error", reject);
    outgoing.on("response", (reply) => {
      reply.resume();
      resolve(reply.statusCode ?? 0);
    });
  });
  for (const piece of [head, start, box]) outgoing.write(piece);
  for (let written = 0; written < megabytes; written += 1) {
    while (outgoing.writableNeedDrain) await delay(1);
    outgoing.write(filling);
  }
  outgoing.end(tail);
  return status;
}
