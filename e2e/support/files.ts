import { crc32, deflateSync } from "node:zlib";
import type { Page } from "@playwright/test";

/** A file as a person chooses it. */
export type NamedFile = { name: string; mimeType: string; buffer: Buffer };

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const GREY_8 = 0;
const RGB = 2;

/** A picture of one colour; each other colour makes another file. */
export function picture(
  name: string,
  color: readonly [red: number, green: number, blue: number] = [46, 125, 96],
  [width, height]: readonly [number, number] = [120, 90],
): NamedFile {
  const row = Buffer.concat([
    Buffer.from([0]),
    ...Array.from({ length: width }, () => Buffer.from(color)),
  ]);
  const rows = Buffer.concat(Array.from({ length: height }, () => row));
  return { name, mimeType: "image/png", buffer: png({ width, height, type: RGB, rows }) };
}

/** A few kilobytes that claim to be a picture of 1.6 billion pixels. */
export function pictureBomb(name: string): NamedFile {
  const rows = Buffer.alloc(1_000_000);
  const buffer = png({ width: 40_000, height: 40_000, type: GREY_8, rows });
  return { name, mimeType: "image/png", buffer };
}

function png(image: { width: number; height: number; type: number; rows: Buffer }): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(image.width, 0);
  header.writeUInt32BE(image.height, 4);
  header.writeUInt8(8, 8);
  header.writeUInt8(image.type, 9);
  const chunks = [
    pngChunk("IHDR", header),
    pngChunk("IDAT", deflateSync(image.rows)),
    pngChunk("IEND", Buffer.alloc(0)),
  ];
  return Buffer.concat([PNG_SIGNATURE, ...chunks]);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.byteLength);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, check]);
}

const WAV_RATE = 8_000;

/** A tone, 16 bits, one channel. */
export function tone(name: string, seconds: number): NamedFile {
  const samples = Math.round(WAV_RATE * seconds);
  const data = Buffer.alloc(samples * 2);
  for (let index = 0; index < samples; index += 1) {
    data.writeInt16LE(Math.round(12_000 * Math.sin(index / 6)), index * 2);
  }
  const header = Buffer.alloc(44);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(36 + data.byteLength, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(WAV_RATE, 24);
  header.writeUInt32LE(WAV_RATE * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(data.byteLength, 40);
  return { name, mimeType: "audio/wav", buffer: Buffer.concat([header, data]) };
}

/** As much of a PDF as its first bytes say. */
export function pdf(name: string): NamedFile {
  const buffer = Buffer.from("%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n%%EOF\n");
  return { name, mimeType: "application/pdf", buffer };
}

/** A file that is all text, whatever its name says. */
export function written(name: string, mimeType: string, text: string): NamedFile {
  return { name, mimeType, buffer: Buffer.from(text) };
}

/** A short video of a colour that changes, as the browser itself records one. */
export async function video(page: Page, name: string): Promise<NamedFile> {
  const base64 = await page.evaluate(async () => {
    const canvas = document.createElement("canvas");
    canvas.width = 160;
    canvas.height = 120;
    const brush = canvas.getContext("2d");
    const recorder = new MediaRecorder(canvas.captureStream(25), {
      mimeType: "video/webm;codecs=vp8",
    });
    const parts: Blob[] = [];
    recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
    const stopped = new Promise((resolve) => recorder.addEventListener("stop", resolve));
    recorder.start();
    for (let frame = 0; frame < 20; frame += 1) {
      if (brush) brush.fillStyle = `hsl(${frame * 12} 60% 45%)`;
      brush?.fillRect(0, 0, canvas.width, canvas.height);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    recorder.stop();
    await stopped;
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(""));
  });
  return { name, mimeType: "video/webm", buffer: Buffer.from(base64, "base64") };
}
