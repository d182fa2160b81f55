import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { deflateSync } from "node:zlib";
import ffmpeg from "@ffmpeg-installer/ffmpeg";
import sharp from "sharp";

/** A picture of one colour. */
export function picture(
  format: "jpeg" | "png" | "webp" | "gif",
  { width = 800, height = 400 }: { width?: number; height?: number } = {},
): Promise<Buffer> {
  const background = { r: 20, g: 120, b: 90 };
  return sharp({ create: { width, height, channels: 3, background } })
    .toFormat(format)
    .toBuffer();
}

/** A JPEG that lies on its side, with a comment of its owner. */
export function turnedPhoto(): Promise<Buffer> {
  const background = { r: 200, g: 20, b: 20 };
  return sharp({ create: { width: 300, height: 200, channels: 3, background } })
    .withExif({ IFD0: { Copyright: "segredo do fotógrafo" } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
}

/** Files that ffmpeg makes from its own test tones and pictures. */
export async function recorded(name: string, parts: readonly string[]): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "balcao-sample-"));
  try {
    const path = join(folder, name);
    await promisify(execFile)(ffmpeg.path, ["-v", "error", ...parts, path]);
    return await readFile(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const tone = (seconds: number): string[] => [
  ...["-f", "lavfi", "-i", `sine=frequency=440:duration=${seconds}`],
];
export const film = (seconds: number): string[] => [
  ...["-f", "lavfi", "-i", `testsrc=size=320x240:duration=${seconds}:rate=10`],
  ...tone(seconds),
  ...["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac"],
];

/** A small PNG that claims 50,000 × 50,000 pixels. */
export function pngBomb(): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(50_000, 0);
  header.writeUInt32BE(50_000, 4);
  header.set([1, 0, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.alloc(6_251 * 2_000))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function crc32(bytes: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}

/** A zip with one stored file. */
export function zipped(name: string, content = "conteúdo"): Buffer {
  const path = Buffer.from(name);
  const data = Buffer.from(content);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt32LE(crc32(data), 14);
  header.writeUInt32LE(data.length, 18);
  header.writeUInt32LE(data.length, 22);
  header.writeUInt16LE(path.length, 26);
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt32LE(crc32(data), 16);
  central.writeUInt32LE(data.length, 20);
  central.writeUInt32LE(data.length, 24);
  central.writeUInt16LE(path.length, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length + path.length, 12);
  end.writeUInt32LE(header.length + path.length + data.length, 16);
  return Buffer.concat([header, path, data, central, path, end]);
}

export const pdf = (): Buffer =>
  Buffer.from("%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n");
