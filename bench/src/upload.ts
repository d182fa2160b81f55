import { createHash, randomBytes } from "node:crypto";
import { request } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Media, Message } from "@balcao/contract";
import { endpoints } from "@balcao/contract";
import { film, recorded } from "@balcao/server/src/testing/media-samples.ts";
import type { BuiltProduct } from "./built-product.ts";
import { startBuilt } from "./built-product.ts";
import type { DemoDesk } from "./demo-desk.ts";
import { openDemoDesk } from "./demo-desk.ts";
import { forgetPeak, peakMbOf, rssMbOf } from "./memory.ts";
import type { BenchPostgres } from "./postgres.ts";
import type { PartReport } from "./report.ts";
import { figure } from "./report.ts";

const MEGABYTE = 1024 * 1024;
const VIDEO_MEGABYTES = 200;
const UPLOADS = 3;
/** As after its start. */
const IDLE_MS = 20_000;
const POLL_MS = 50;
const PATIENCE_MS = 60_000;
const BOUNDARY = "AaB03xLimite";

type Upload = {
  idleMb: number;
  highestMb: number;
  /** While the stored file was read again. */
  highestReadingMb: number;
  seconds: number;
};

/** A large video is sent to a customer over HTTP into the built product, which stores it and hands it to the chat network. */
export async function measureUpload(postgres: BenchPostgres): Promise<PartReport> {
  const dataDir = postgres.folder("upload");
  let product = await startBuilt(dataDir);
  try {
    const desk = await openDemoDesk(product);
    const film = await createFilm();
    const uploads: Upload[] = [];
    for (let number = 0; number < UPLOADS; number += 1) {
      // The remains of an upload would hide the memory of the next one.
      await product.stop();
      product = await startBuilt(dataDir);
      await delay(IDLE_MS);
      uploads.push(await measureOne(product, desk.at(product), film));
    }
    return describe(uploads);
  } finally {
    await product.stop();
  }
}

async function measureOne(product: BuiltProduct, desk: DemoDesk, film: Film): Promise<Upload> {
  const { pid } = product;
  const idleMb = await rssMbOf(pid);
  await forgetPeak(pid);
  const beginMs = performance.now();
  const message = await send(product, desk, film);
  const seconds = (performance.now() - beginMs) / 1_000;
  // The chat network takes it from the product, which is part of sending.
  await untilDelivered(desk, message);
  const highestMb = await peakMbOf(pid);
  await forgetPeak(pid);
  await expectWhole(product, message.media, film);
  return { idleMb, highestMb, highestReadingMb: await peakMbOf(pid), seconds };
}

/** The content, piece by piece, with its size and hash. */
type Film = { pieces(): Iterable<Buffer>; bytes: number; sha256: string };

/** A second of film, then a box of noise that players skip. */
async function createFilm(): Promise<Film> {
  const start = await recorded("f.mp4", film(1));
  const box = Buffer.alloc(8);
  box.writeUInt32BE(box.length + VIDEO_MEGABYTES * MEGABYTE);
  box.write("free", 4);
  const noise = randomBytes(MEGABYTE);
  function* pieces(): Generator<Buffer> {
    yield start;
    yield box;
    for (let number = 0; number < VIDEO_MEGABYTES; number += 1) {
      const piece = Buffer.from(noise);
      piece.writeUInt32BE(number); // a piece in another place would be noticed
      yield piece;
    }
  }
  const hash = createHash("sha256");
  for (const piece of pieces()) hash.update(piece);
  const bytes = start.length + box.length + VIDEO_MEGABYTES * MEGABYTE;
  return { pieces, bytes, sha256: hash.digest("hex") };
}

async function send(
  { url }: BuiltProduct,
  { ticket, token }: DemoDesk,
  { pieces, bytes }: Film,
): Promise<Message> {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="medias"; filename="filme.mp4"\r\nContent-Type: video/mp4\r\n\r\n`;
  const tail = `\r\n--${BOUNDARY}--\r\n`;
  const outgoing = request(`${url}/api/messages/${ticket.id}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
      "content-length": head.length + bytes + tail.length,
    },
  });
  const answered = new Promise<string>((resolve, reject) => {
    outgoing.on("error", reject);
    outgoing.on("response", (reply) => {
      let text = "";
      reply.setEncoding("utf8");
      reply.on("data", (chunk: string) => {
        text += chunk;
      });
      reply.on("end", () => {
        if (reply.statusCode === 200) resolve(text);
        else reject(new Error(`the upload was answered with ${reply.statusCode}: ${text}`));
      });
    });
  });
  function* body(): Generator<Buffer> {
    yield Buffer.from(head);
    yield* pieces();
    yield Buffer.from(tail);
  }
  await pipeline(Readable.from(body()), outgoing);
  return endpoints["POST /messages/:ticketId"].reply.parse(JSON.parse(await answered));
}

async function untilDelivered(desk: DemoDesk, { id, ticketId }: Message): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const { messages } = await desk.get(
      "GET /messages/:ticketId",
      `/messages/${ticketId}?markRead=false`,
    );
    if ((messages.find((one) => one.id === id)?.ack ?? 0) >= 3) return;
    if (performance.now() > endMs) throw new Error("the video does not reach the customer");
    await delay(POLL_MS);
  }
}

/** Reads the stored file and compares it with what was sent. */
async function expectWhole(
  { url }: BuiltProduct,
  media: Media | null,
  { bytes, sha256 }: Film,
): Promise<void> {
  const path = media?.url;
  if (!path) throw new Error("the stored message has no file");
  const reply = await fetch(new URL(path, url));
  if (!reply.ok || !reply.body) throw new Error(`the file was answered with ${reply.status}`);
  const hash = createHash("sha256");
  let stored = 0;
  for await (const chunk of reply.body) {
    hash.update(chunk);
    stored += chunk.length;
  }
  if (stored !== bytes) throw new Error(`${stored} bytes of ${bytes} are stored`);
  if (hash.digest("hex") !== sha256)
    throw new Error("the stored file is not the one that was sent");
}

function describe(uploads: readonly Upload[]): PartReport {
  const mb = (value: number): string => `${figure(value)} MB`;
  return {
    name: "upload",
    title: `a video of ${VIDEO_MEGABYTES} MB sent to a customer, ${UPLOADS} times, each ${IDLE_MS / 1_000} s after a start`,
    tables: [
      {
        headings: ["memory", "idle", "highest", "more", "read again", "until answered"],
        rows: uploads.map(({ idleMb, highestMb, highestReadingMb, seconds }, index) => [
          `upload ${index + 1}`,
          mb(idleMb),
          mb(highestMb),
          mb(highestMb - idleMb),
          mb(highestReadingMb),
          `${figure(seconds)} s`,
        ]),
      },
    ],
    goals: [
      {
        figure: "memory of the product, highest above idle",
        value: Math.max(...uploads.map(({ idleMb, highestMb }) => highestMb - idleMb)),
        unit: "MB",
        limit: 50,
        want: "≤",
      },
    ],
    notes: [
      "Every upload arrived whole: size and SHA-256 of what the product serves are those of what was sent.",
      "From the first byte until the chat network has it; the highest is the system's own high-water mark (RSS).",
    ],
  };
}
