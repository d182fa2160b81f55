import { generateX25519Identity } from "age-encryption";
import { expect, test } from "vitest";
import type { ArchiveEntry, ArchiveKey, ArchiveWriter, NewArchive } from "./archive.ts";
import { ArchiveDamaged, ArchiveKeyRefused, readArchive, verifyArchive } from "./archive.ts";
import { writeArchive } from "./archive.ts";

const header: NewArchive = {
  ...{ kind: "installation", product: "1.0.0", migration: "0001_first" },
  createdAt: "2026-11-27T00:00:00.000Z",
  tables: [
    { name: "messages", columns: ["id", "body"] },
    { name: "tags", columns: ["id"] },
  ],
  facts: { sequences: { messages_id_seq: 7 } },
};
const key = await newKey();
async function newKey(): Promise<ArchiveKey> {
  return { kind: "identity", identity: await generateX25519Identity() };
}

/** Rows of more than one part, in chunks that end anywhere. */
const rows = Buffer.from(Array.from({ length: 60_000 }, (_, id) => line(id)).join(""));
function line(id: number): string {
  return `${id}\tOlá, tudo bem?\\n${"ção".repeat(40)}\n`;
}

async function* inChunks(content: Buffer, bytes = 70_001): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += bytes) yield content.subarray(at, at + bytes);
}

async function fill(writer: ArchiveWriter): Promise<{ missing: string[] }> {
  expect(await writer.table("messages", inChunks(rows))).toMatchObject({ rows: 60_000 });
  await writer.table("tags", inChunks(Buffer.alloc(0)));
  const content = Buffer.from("a picture");
  await writer.file("media/company1/a.png", { bytes: content.length, content: inChunks(content) });
  return { missing: ["media/company1/b.png"] };
}

async function bytesOf(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function entriesOf(archive: Buffer, key: ArchiveKey | null): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  for await (const entry of readArchive(inChunks(archive), key)) entries.push(entry);
  return entries;
}

const whole = await bytesOf(writeArchive(header, null, fill));

test("an archive is read as it was written", async () => {
  const entries = await entriesOf(whole, null);
  expect(entries[0]).toEqual({ type: "header", header: { format: 1, ...header } });
  const parts = entries.flatMap((entry) => (entry.type === "rows" ? [entry.content] : []));
  expect(parts.length).toBeGreaterThan(1);
  expect(Buffer.concat(parts).equals(rows)).toBe(true);
  expect(entries.at(-2)).toMatchObject({ type: "file", name: "media/company1/a.png", bytes: 9 });
  const { manifest } = await verifyArchive(inChunks(whole), null);
  expect(manifest).toMatchObject({
    tables: { messages: { rows: 60_000, bytes: rows.length }, tags: { rows: 0 } },
    files: { count: 1, bytes: 9 },
    facts: { missing: ["media/company1/b.png"] },
  });
});

test.each([
  ["its last bytes", whole.length - 1_100],
  ["its manifest", whole.lastIndexOf("manifest.json")],
  ["half of it", whole.length / 2],
])("an archive without %s is refused", async (_, end) => {
  await expect(entriesOf(whole.subarray(0, end), null)).rejects.toThrow(ArchiveDamaged);
});

test.each([
  ["rows", 5_000],
  ["a file", whole.indexOf("a picture") + 3],
  ["the manifest", whole.lastIndexOf('"bytes"') + 9],
  ["the header", whole.indexOf('"product":"1') + 11],
])("an archive with a changed byte in %s is refused", async (_, at) => {
  const changed = Buffer.from(whole);
  changed[at] = (changed[at] ?? 0) ^ 1;
  await expect(entriesOf(changed, null)).rejects.toThrow(ArchiveDamaged);
});

test("an archive of a later format is refused by name", async () => {
  const text = JSON.stringify({ format: 1, ...header });
  const at = whole.indexOf(text);
  const later = Buffer.from(whole);
  later.write("9", at + text.indexOf("1"), "latin1");
  await expect(entriesOf(later, null)).rejects.toThrow("later version");
});

test("an encrypted archive is read with its key and with no other", async () => {
  const small = { ...header, tables: [] };
  const sealed = await bytesOf(writeArchive(small, key, async () => ({})));
  expect(sealed.includes("header.json")).toBe(false);
  expect((await verifyArchive(inChunks(sealed), key)).header.kind).toBe("installation");
  await expect(entriesOf(sealed, await newKey())).rejects.toThrow(ArchiveKeyRefused);
  await expect(entriesOf(sealed, null)).rejects.toThrow(ArchiveKeyRefused);
  sealed.writeUInt8(sealed.readUInt8(sealed.length - 700) ^ 1, sealed.length - 700);
  await expect(entriesOf(sealed, key)).rejects.toThrow(ArchiveDamaged);
});

test("what the writer throws ends the archive without a manifest", async () => {
  const failing = writeArchive(header, null, async (writer) => {
    await writer.table("messages", inChunks(rows.subarray(0, 100)));
    throw new Error("the database went away");
  });
  await expect(bytesOf(failing)).rejects.toThrow("the database went away");
  const longer = writeArchive(header, null, async (writer) => {
    await writer.file("a.png", { bytes: 3, content: inChunks(Buffer.from("four")) });
    return {};
  });
  await expect(bytesOf(longer)).rejects.toThrow("changed while it was read");
});
