import { execFile } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { chmod, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFailed, test } from "vitest";
import { atEndOfFile } from "../../end-of-file.ts";
import { newInstallation, untilQuiet } from "./installation.ts";
import { signIn } from "./patient-client.ts";

const run = promisify(execFile);

/** Room for the database's programs, an empty cluster and what is written until the disk is full. */
const DISK_MB = 400;

/** A small disk of its own; null and why where mounting is not allowed. */
async function smallDisk(): Promise<{ path: string } | { reason: string }> {
  const path = await mkdtemp(join(tmpdir(), "balcao-disk-"));
  atEndOfFile(() => rm(path, { recursive: true, force: true }));
  try {
    await run("mount", ["-t", "tmpfs", "-o", `size=${DISK_MB}m`, "tmpfs", path]);
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
  atEndOfFile(async () => {
    // A process of the database may end a moment after its parent.
    await run("umount", ["--lazy", path]);
  });
  await chmod(path, 0o755);
  return { path };
}

/** Takes all space that is left; answers how to give it back. */
async function fill(directory: string): Promise<() => Promise<void>> {
  const path = join(directory, "filler");
  const file = await open(path, "w");
  const block = Buffer.alloc(1_048_576);
  try {
    for (let size = block.length; size >= 512;) {
      try {
        // A short write is the last space there was.
        const { bytesWritten } = await file.write(block, 0, size);
        if (bytesWritten < size) size = Math.floor(size / 2);
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
        size = Math.floor(size / 2);
      }
    }
  } finally {
    await file.close();
  }
  return () => rm(path);
}

test(
  "a full disk means 503, loses nothing that was accepted, and is over when there is space again",
  { timeout: 240_000 },
  async (context) => {
    const disk = await smallDisk();
    if ("reason" in disk) {
      context.skip(`a small disk cannot be mounted here: ${disk.reason}`);
      return;
    }
    const installation = await newInstallation({ parent: disk.path });
    onTestFailed(() => void process.stderr.write(installation.output()));
    const admin = await signIn(installation, installation.accounts().admin);
    const [line] = await admin.call("GET /simulator/connections", "/simulator/connections");
    const path = `/simulator/connections/${line?.id}/chats/5511955560001/messages`;
    const accepted: string[] = [];

    /** Statuses of customers' messages, sent until one is refused or there were enough. */
    async function write(count: number): Promise<number[]> {
      const statuses: number[] = [];
      for (let number = 0; number < count; number += 1) {
        const messageId = randomUUID();
        // Noise, so that it takes as much space as it is long.
        const body = randomBytes(20_000).toString("base64");
        const { status, ms, text } = await admin.tryOnce("POST", path, { body, messageId });
        expect([status, text]).toEqual([
          expect.toSatisfy((code) => code === 200 || code === 503),
          text,
        ]);
        expect(ms).toBeLessThan(10_000);
        if (status === 200) accepted.push(messageId);
        statuses.push(status);
      }
      return statuses;
    }

    expect(await write(5)).toEqual([200, 200, 200, 200, 200]);
    const makeRoom = await fill(disk.path);
    const whileFull: number[] = [];
    while (whileFull.filter((status) => status === 503).length < 10) {
      whileFull.push(...(await write(5)));
      if (whileFull.length > 4_000) throw new Error("the disk does not get full");
    }
    await makeRoom();
    const body = "Voltou?";
    const messageId = randomUUID();
    await admin.call("POST /simulator/connections/:connectionId/chats/:phone/messages", path, {
      body,
      messageId,
    });
    accepted.push(messageId);
    await untilQuiet(installation);
    const rows = await installation.query<{ id: string }>(
      `select m.provider_id as id from messages m
       join tickets t on t.id = m.ticket_id join contacts c on c.id = t.contact_id
      where c.number = '5511955560001' order by m.seq`,
    );
    // A refused message may be stored all the same, as when a connection breaks at the commit; never twice.
    const stored = rows.map(({ id }) => id);
    expect(new Set(stored).size).toBe(stored.length);
    expect(stored.filter((id) => accepted.includes(id))).toEqual(accepted);
  },
);
