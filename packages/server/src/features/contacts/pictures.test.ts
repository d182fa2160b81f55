import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { ContactId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { createDomainEvents } from "../../platform/events.ts";
import { createFfmpeg } from "../../platform/media/ffmpeg.ts";
import type { MediaKey } from "../../platform/media/media-store.ts";
import { isMediaKey, openMediaFolder } from "../../platform/media/media-store.ts";
import { systemSources } from "../../platform/sources.ts";
import { quietLog } from "../../testing/app.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import type { GivenCompany, GivenTicket } from "../../testing/given.ts";
import { createGiven } from "../../testing/given.ts";
import { picture } from "../../testing/media-samples.ts";
import type { MediaFeature } from "../media/index.ts";
import { createMediaFeature } from "../media/index.ts";
import { createContactPictures } from "./pictures.ts";

let database: TestDatabase;
let folder: string;
let media: MediaFeature;
let company: GivenCompany;
let ticket: GivenTicket;
let given: ReturnType<typeof createGiven>;
const told: unknown[] = [];

beforeAll(async () => {
  database = await testDatabase();
  folder = await mkdtemp(join(tmpdir(), "balcao-pictures-"));
  atEndOfFile(() => rm(folder, { recursive: true, force: true }));
  media = createMediaFeature({
    db: database.db,
    clock: systemSources.clock,
    ids: systemSources.ids,
    store: await openMediaFolder(folder),
    ffmpeg: createFfmpeg(undefined),
    log: quietLog(),
    secret: "secret",
    publicUrl: undefined,
  });
  given = createGiven({ ...database, sources: systemSources, idle: async () => undefined });
});

beforeEach(async () => {
  company = await given.company();
  ticket = await given.ticket({ company });
  told.splice(0);
});

const domainEvents = createDomainEvents();
domainEvents.afterCommit("contact.changed", (_ctx, { contactId }) =>
  told.push({ card: contactId }),
);

const pictures = () =>
  createContactPictures({
    db: database.db,
    clock: systemSources.clock,
    realtime: { publish: (_company, subject, payload) => void told.push({ subject, payload }) },
    files: media,
    domainEvents,
  });
const store = (content: Uint8Array | null, contactId: ContactId = ticket.contactId) =>
  pictures().storePicture(company.id, contactId, content);

async function stored(): Promise<{ url: string; isChecked: boolean }> {
  const [row] = await database.db.transaction({ companyId: company.id }, (tx) =>
    tx.query<{ key: MediaKey | null; isChecked: boolean }>(sql`
      select picture_key as key, picture_checked_at is not null as "isChecked"
      from contacts where id = ${ticket.contactId}`),
  );
  if (!row) throw new Error("no contact");
  const { key, isChecked } = row;
  return { url: key === null ? "" : media.signedPath(company.id, key), isChecked };
}

/** The reply to a browser at an address, without signing in. */
async function served(url: string): Promise<Uint8Array | null> {
  const address = new URL(url, "http://localhost");
  const key = address.pathname.split("/").at(-1) ?? "";
  if (!isMediaKey(key)) throw new Error("no address of a file");
  const file = await media.findPublicFile({
    companyId: company.id,
    key,
    signature: {
      exp: address.searchParams.get("exp") ?? "",
      sig: address.searchParams.get("sig") ?? "",
    },
    bearerCompanyId: async () => null,
  });
  const content = await file?.open();
  return content ? new Uint8Array(await buffer(content)) : null;
}

const filesOnDisk = async (): Promise<string[]> =>
  (await readdir(folder, { recursive: true })).filter((name) =>
    name.startsWith(`company${company.id}/`),
  );

test("a picture is kept, its address opens it to whoever has it, and the company hears of it", async () => {
  const content = await picture("jpeg");
  await store(content);
  const { url, isChecked } = await stored();
  expect(isChecked).toBe(true);
  expect(await served(url)).toEqual(new Uint8Array(content));
  expect(told).toMatchObject([
    { subject: "contact", payload: { action: "update", contact: { profilePicUrl: url } } },
    { card: ticket.contactId },
  ]);
});

test("the same picture again publishes no event, another one replaces it, a missing one removes it", async () => {
  await store(await picture("jpeg"));
  const first = await stored();
  told.splice(0);
  await store(await picture("jpeg"));
  expect([await stored(), told]).toEqual([first, []]);

  await store(await picture("jpeg", { width: 40, height: 40 }));
  const second = await stored();
  expect(second.url).not.toBe(first.url);
  expect(await served(first.url)).toBeNull();
  expect(told).toHaveLength(2);

  await store(null);
  expect((await stored()).url).toBe("");
  expect(await served(second.url)).toBeNull();
  told.splice(0);
  await store(null);
  expect(told).toEqual([]);
});

test("a file that is no picture is refused; the contact keeps its picture and counts as checked", async () => {
  await store(await picture("jpeg"));
  const before = await stored();
  told.splice(0);
  const page = new TextEncoder().encode("<html><script>alert(1)</script></html>");
  await expect(store(page)).rejects.toMatchObject({ code: "ERR_FILE_TYPE_FORBIDDEN" });
  expect([await stored(), told]).toEqual([before, []]);
});

test("no picture is stored for a contact of another company, or a deleted one", async () => {
  const other = await given.ticket({ company: await given.company() });
  await store(await picture("jpeg"), other.contactId);
  expect(told).toEqual([]);
  expect(await filesOnDisk()).toEqual([]);
});

test("contacts who write are asked for once a day, whoever wrote last first", async () => {
  const { connectionId } = ticket;
  const others = await Promise.all(
    (["pending", "open", "closed"] as const).map((status) =>
      given.ticket({ company, connectionId, status }),
    ),
  );
  const elsewhere = await given.ticket({ company });
  const run = (statement: ReturnType<typeof sql>) =>
    database.db.transaction({ companyId: company.id }, (tx) => tx.query(statement));
  for (const [place, { id }] of [ticket, ...others, elsewhere].entries()) {
    await run(sql`
      update tickets set last_customer_message_at = now() - ${place}::int * interval '1 hour' where id = ${id}`);
  }
  const claim = (count: number) =>
    database.db.transaction({ companyId: company.id }, (tx) =>
      pictures().claimPictures(tx, ticket, count),
    );
  const [first] = await claim(1);
  expect(first).toEqual({
    contactId: ticket.contactId,
    address: { kind: "pn", value: ticket.phone },
  });
  const rest = await claim(10);
  const idsOf = (contacts: readonly { contactId: ContactId }[]) =>
    contacts.map(({ contactId }) => contactId).toSorted((a, b) => a - b);
  expect(idsOf(rest)).toEqual(idsOf(others.slice(0, 2)));
  expect(await claim(10)).toEqual([]);
  await run(sql`
    update contacts set picture_checked_at = now() - interval '25 hours' where id = ${ticket.contactId}`);
  expect(await claim(10)).toMatchObject([{ contactId: ticket.contactId }]);
  await run(sql`
    update tickets set last_customer_message_at = now() - interval '8 days' where id = ${ticket.id}`);
  await run(sql`update contacts set picture_checked_at = null where id = ${ticket.contactId}`);
  expect(await claim(10)).toEqual([]);
});
