import { limits } from "@balcao/contract";
import sharp from "sharp";
import { expect, test } from "vitest";
import type { GivenCompany } from "../../testing/given.ts";
import type { FileRules } from "./media.ts";
import {
  film,
  pdf,
  picture,
  pngBomb,
  recorded,
  tone,
  turnedPhoto,
  zipped,
} from "../../testing/media-samples.ts";
import { storage } from "./testing/storage.ts";

const { media, given, stored, contentOf } = await storage();
const company: GivenCompany = await given.company();
const any: FileRules = { accept: "any" };

async function* inPieces(content: Uint8Array, bytes = 10_000): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < content.byteLength; start += bytes) {
    yield content.subarray(start, start + bytes);
  }
}

const store = (name: string, content: Uint8Array | string, rules = any) =>
  media.storeFile(company.id, { name, content: inPieces(Buffer.from(content)) }, rules);

async function refused(name: string, content: Uint8Array | string, rules = any): Promise<unknown> {
  const before = await stored();
  const error: unknown = await store(name, content, rules).then(
    () => "stored",
    (reason: unknown) => reason,
  );
  expect(await stored()).toEqual(before);
  return error;
}

const html = "<!DOCTYPE html><html><body><script>alert(1)</script></body></html>";
const svg = `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`;
const exe = Buffer.concat([Buffer.from("MZ"), Buffer.alloc(200)]);
const elf = Buffer.concat([Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]), Buffer.alloc(200)]);

test.each([
  ["a page", "pagina.html", html],
  ["a page called text", "nota.txt", html],
  ["a page called a picture", "foto.png", html],
  ["a page after a comment", "nota.txt", `<!-- x -->\n ${html}`],
  ["a page in two-byte characters", "nota.txt", Buffer.from(`\uFEFF${html}`, "utf16le")],
  ["a drawing with script", "desenho.svg", svg],
  ["a drawing called a picture", "foto.png", svg],
  ["a drawing called data", "nota.xml", svg],
  ["a Windows program", "instalar.exe", exe],
  ["a Windows program called a picture", "foto.jpg", exe],
  ["a Windows program without extension", "instalar", exe],
  ["a Windows program with a dot at its end", "instalar.exe. .", exe],
  ["a Linux program", "instalar.dat", elf],
  ["a script", "limpar.bat", "del *.*"],
  ["a shell script", "limpar.ps1", "rm"],
  ["a shortcut", "atalho.lnk", "x"],
  ["a Java program", "app.jar", zipped("META-INF/MANIFEST.MF")],
])("%s is forbidden, and leaves no file", async (_what, name, content) => {
  expect(await refused(name, content)).toMatchObject({ code: "ERR_FILE_TYPE_FORBIDDEN" });
});

test.each([
  ["a PDF called a picture", "foto.jpg", pdf()],
  ["a picture called a PDF", "boleto.pdf", await picture("png")],
  ["a PNG called JPEG", "foto.jpeg", await picture("png")],
  ["bytes called a picture", "foto.png", Buffer.from([1, 2, 3, 4])],
  ["bytes called text", "nota.txt", Buffer.from([65, 66, 0, 1])],
  ["bytes far behind in a text", "nota.csv", `${"a;b\n".repeat(60_000)}\u0000`],
  ["a text called a document", "contrato.docx", "só texto"],
])("%s is refused: its extension does not match its content", async (_what, name, content) => {
  expect(await refused(name, content)).toMatchObject({
    code: "ERR_FILE_TYPE_MISMATCH",
    data: { name },
  });
});

test.each([
  ["an empty file", "vazio.txt", ""],
  ["a picture that is cut off", "foto.jpg", (await picture("jpeg")).subarray(0, 300)],
  ["a picture that would fill the memory", "foto.png", pngBomb()],
  ["a sound that is none", "som.wav", (await recorded("a.wav", tone(1))).subarray(0, 44)],
])("%s is damaged, and nothing of it stays", async (_what, name, content) => {
  expect(await refused(name, content)).toMatchObject({ code: "ERR_FILE_DAMAGED", data: { name } });
});

test("a file beyond the limit of its kind, or of the call, is refused while it arrives", async () => {
  const long = Buffer.concat([await picture("png"), Buffer.alloc(limits.imageMaxBytes)]);
  expect(await refused("foto.png", long)).toMatchObject({
    code: "ERR_FILE_TOO_LARGE",
    data: { name: "foto.png", maxBytes: limits.imageMaxBytes },
  });
  expect(
    await refused("nota.txt", "x".repeat(101), { accept: "any", maxBytes: 100 }),
  ).toMatchObject({ code: "ERR_FILE_TOO_LARGE", data: { maxBytes: 100 } });
});

test("an incomplete upload leaves no file", async () => {
  const before = await stored();
  const broken = async function* () {
    yield Buffer.from("a;b\n".repeat(30_000));
    throw new Error("connection lost");
  };
  const file = { name: "lista.csv", content: broken() };
  await expect(media.storeFile(company.id, file, any)).rejects.toThrow("connection lost");
  expect(await stored()).toEqual(before);
});

test("several files are stored all or none", async () => {
  const before = await stored();
  const files = async function* (names: string[]) {
    for (const name of names) yield { name, content: inPieces(Buffer.from("texto")) };
  };
  const refusal = media.storeFiles(company.id, files(["a.txt", "b.txt", "c.exe"]), any);
  await expect(refusal).rejects.toMatchObject({ code: "ERR_FILE_TYPE_FORBIDDEN" });
  const nothing = media.storeFiles(company.id, files([]), any);
  await expect(nothing).rejects.toMatchObject({ code: "ERR_FILE_MISSING" });
  expect(await stored()).toEqual(before);
  expect(await media.storeFiles(company.id, files(["a.txt", "b.txt"]), any)).toHaveLength(2);
});

test("a call for pictures takes PNG and JPEG only", async () => {
  const image: FileRules = { accept: "image" };
  expect(await store("foto.png", await picture("png"), image)).toMatchObject({ kind: "image" });
  expect(await refused("foto.gif", await picture("gif"), image)).toMatchObject({
    code: "ERR_FILE_TYPE_FORBIDDEN",
  });
  expect(await refused("boleto.pdf", pdf(), image)).toMatchObject({
    code: "ERR_FILE_TYPE_FORBIDDEN",
  });
});

test.each([
  ["jpeg", "foto.JPG", "image/jpeg", /\.jpg$/],
  ["png", "foto", "image/png", /\.png$/],
  ["webp", "foto.webp", "image/webp", /\.webp$/],
  ["gif", "foto.gif", "image/gif", /\.gif$/],
] as const)(
  "a picture (%s) is stored with its size and a small one",
  async (format, name, mime, key) => {
    const content = await picture(format);
    const file = await store(name, content);
    expect(file).toMatchObject({ kind: "image", mime, width: 800, height: 400, durationMs: null });
    expect(file.key).toMatch(key);
    expect((await contentOf(company.id, file.key)).equals(content)).toBe(true);
    const small = await sharp(await contentOf(company.id, file.thumbnailKey ?? "")).metadata();
    expect(small).toMatchObject({ format: "webp", width: 640, height: 320 });
  },
);

test("a photo on its side is shown upright, and its thumbnail tells nothing about its owner", async () => {
  const file = await store("foto.jpg", await turnedPhoto());
  expect(file).toMatchObject({ width: 200, height: 300 });
  const small = await sharp(await contentOf(company.id, file.thumbnailKey ?? "")).metadata();
  expect([small.width, small.height, small.exif, small.orientation]).toEqual([
    ...[200, 300, undefined, undefined],
  ]);
});

test("a video is stored with size, length and first frame", async () => {
  const file = await store("filme.mp4", await recorded("f.mp4", film(2)));
  expect(file).toMatchObject({ kind: "video", mime: "video/mp4", width: 320, height: 240 });
  expect(file.durationMs).toBeGreaterThan(1_900);
  const small = await sharp(await contentOf(company.id, file.thumbnailKey ?? "")).metadata();
  expect(small).toMatchObject({ format: "webp", width: 320 });
});

test("a recording of the page becomes a voice note with levels", async () => {
  const file = await store("audio-record-site-1.mp3", await recorded("a.mp3", tone(2)));
  expect(file).toMatchObject({
    kind: "voice",
    mime: "audio/ogg; codecs=opus",
    name: "audio-record-site-1.ogg",
  });
  expect(file.key).toMatch(/\.ogg$/);
  expect(file.durationMs).toBeGreaterThan(1_900);
  expect(file.waveform).toHaveLength(32);
  expect(Math.max(...(file.waveform ?? []))).toBe(100);
  expect((await contentOf(company.id, file.key)).toString("latin1", 28, 36)).toBe("OpusHead");
  expect((await stored()).files.filter((name) => name.endsWith(".mp3"))).toEqual([]);
});

test.each([
  ["a.mp3", [], "audio/mpeg", "a.mp3"],
  ["a.m4a", [], "audio/mp4", "a.m4a"],
  ["a.ogg", ["-c:a", "libopus"], "audio/ogg; codecs=opus", "a.ogg"],
  ["a.aac", [], "audio/aac", "a.aac"],
  ["a.wav", [], "audio/mpeg", "a.mp3"],
  ["a.flac", [], "audio/mpeg", "a.mp3"],
  ["a.webm", ["-c:a", "libopus"], "audio/mpeg", "a.mp3"],
])("a sound (%s) is played as it is, or becomes MP3", async (name, codec, mime, storedName) => {
  const content = await recorded(name, [...tone(1), ...codec]);
  const file = await store(name, content);
  expect(file).toMatchObject({ kind: "audio", mime, name: storedName });
  expect(file.durationMs).toBeGreaterThan(900);
});

test.each([
  ["boleto.pdf", pdf(), "application/pdf"],
  ["lista.csv", "nome;número\nJosé;1", "text/csv"],
  ["nota em latim.txt", Buffer.from("açúcar", "latin1"), "text/plain"],
  ["nfe.xml", `<?xml version="1.0"?><nfeProc><NFe/></nfeProc>`, "application/xml"],
  ["contato.vcf", "BEGIN:VCARD\nVERSION:3.0\nFN:Ana\nEND:VCARD\n", "text/vcard"],
  ["dados.json", `{"html":"<script>"}`, "application/json"],
  ["leia-me.md", "# Título\n\n<b>texto</b>", "text/markdown"],
  ["tudo.zip", zipped("a.txt"), "application/zip"],
  [
    "contrato.docx",
    zipped("word/document.bin"),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ],
  ["extrato.xyz", "só texto", "text/plain"],
  ["bytes.xyz", Buffer.from([0, 1, 2, 3]), "application/octet-stream"],
])("a document (%s) is stored as what it is", async (name, content, mime) => {
  expect(await store(name, content)).toMatchObject({
    ...{ kind: "document", mime, name, thumbnailKey: null },
    bytes: Buffer.from(content).byteLength,
  });
});

test("a name loses its path and what cannot be seen, and is never part of an address", async () => {
  const file = await store("../../etc/\u202Epasswd\u0000.txt", "x");
  expect(file.name).toBe("passwd.txt");
  expect(file.key).toMatch(/^[0-9a-f-]{36}\.txt$/);
  const long = await store(`${"a".repeat(400)}.txt`, "x");
  expect([long.name.length, long.name.endsWith(".txt")]).toEqual([255, true]);
});

test("a customer's file is stored by its content, whatever its name says", async () => {
  const receive = (
    name: string,
    claimedKind: "image" | "document" | "voice" | "sticker" | "video" | "audio",
    content: Uint8Array,
  ) => media.storeCustomerFile(company.id, { name, claimedKind, content: inPieces(content) });

  const octets = "application/octet-stream";
  const page = await receive("nota.png", "image", Buffer.from(html));
  expect(page).toMatchObject({ kind: "document", mime: octets, name: "nota.png" });
  const drawing = await receive("a.svg", "document", Buffer.from(svg));
  expect(drawing).toMatchObject({ kind: "document", mime: octets });
  expect(drawing.key).toMatch(/\.bin$/);
  expect(await receive("a.pdf", "document", await picture("png"))).toMatchObject({
    ...{ kind: "document", mime: "image/png" },
  });
  expect(await receive("", "sticker", await picture("webp"))).toMatchObject({
    ...{ kind: "sticker", mime: "image/webp", name: "arquivo.webp" },
  });
  const opus = await recorded("a.ogg", [...tone(1), "-c:a", "libopus"]);
  expect(await receive("", "voice", opus)).toMatchObject({ kind: "voice" });
  const half = (await picture("jpeg")).subarray(0, 300);
  expect(await receive("", "image", half)).toMatchObject({ kind: "document", mime: "image/jpeg" });
  expect(await receive("", "video", Buffer.alloc(0))).toMatchObject({ kind: "document", bytes: 0 });
});

test("a file that only has a key and a name can be described, for sending it later", async () => {
  const { key } = await store("foto.png", await picture("png"));
  const described = await media.describeFile(company.id, key, "foto.png");
  expect(described).toMatchObject({ key, kind: "image", mime: "image/png", width: 800 });
  expect(described?.thumbnailKey).toMatch(/\.webp$/);
  const other = await given.company();
  expect(await media.describeFile(other.id, key, "foto.png")).toBeNull();
});

test("a copy is another file with the same content, and another company's file cannot be copied", async () => {
  const { key } = await store("nota.txt", "texto");
  const copy = await media.copyFile(company.id, key);
  expect(copy).not.toBe(key);
  expect((await contentOf(company.id, copy)).toString()).toBe("texto");
  const other = await given.company();
  await expect(media.copyFile(other.id, key)).rejects.toThrow();
  expect(await media.openFile(other.id, key)).toBeNull();
});
