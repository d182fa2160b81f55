import { readdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { Consent, HeldPerson, PersonExport, PrivacySettings } from "@balcao/contract";
import { personFile } from "@balcao/contract";
import { addDays } from "date-fns/addDays";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import yauzl from "yauzl";
import { chatKeyOf, encodeEvent } from "../../channels/runtime/journal.ts";
import { openMediaFolder } from "../../platform/media/media-store.ts";
import { testApp } from "../../testing/app.ts";
import { textEvent } from "../messages/testing/channel-side.ts";
import { sweepPersonExportsAcrossCompanies } from "./exporting.ts";
import { notCopied } from "./places.ts";
import { keepRetentionAcrossCompanies } from "./retention.ts";
import { givenPerson, runnerOf } from "./testing/person.ts";

const app = await testApp();
const run = runnerOf(app);
const { db } = app.database;

async function given() {
  const company = await app.given.company();
  const admin = await app.given.admin({ company });
  return { company, admin, person: await givenPerson(app, company, admin) };
}

/** The entries of a zip file by name. */
async function unzip(bytes: Buffer): Promise<Record<string, string>> {
  const zip = await yauzl.fromBufferPromise(bytes);
  const entries: Record<string, string> = {};
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    entries[entry.fileName] = Buffer.concat(chunks).toString();
  }
  return entries;
}

test("an export has everything that is held, in both forms and with the files, for who asked and for a day", async () => {
  const { company, admin, person } = await given();
  const colleague = await app.given.admin({ company });
  const path = `/privacy/contacts/${person.contactId}`;
  await app.as(admin).post(`${path}/exports`, { language: "en" });
  const newest = async () => (await app.as(admin).get<HeldPerson>(path)).body.exports[0];
  await expect.poll(async () => (await newest())?.state).toBe("done");
  const { id } = (await newest()) as PersonExport;
  const download = (by: typeof admin) =>
    fetch(`${app.url}/api/privacy/exports/${id}/file`, {
      headers: { authorization: `Bearer ${by.token}` },
    });
  expect((await download(colleague)).status).toBe(404);
  const reply = await download(admin);
  const entries = await unzip(Buffer.from(await reply.arrayBuffer()));
  const file = personFile.parse(JSON.parse(entries["pessoa.json"] ?? ""));
  expect(Object.keys(file.tables)).toEqual(
    expect.arrayContaining([
      ...["contacts", "contact_addresses", "contact_extra_info", "messages", "message_media"],
      ...["ticket_notes", "drafts", "schedules", "campaign_recipients", "contact_list_items"],
      ...["contact_import_rows", "phone_book_entries", "contact_events", "ratings"],
    ]),
  );
  // Addresses and answers of the company's other programs, and the product's own workings, are nothing of the person.
  expect(Object.keys(file.tables).filter((name) => notCopied.has(name))).toEqual([]);
  expect(file.tables["messages"]).toHaveLength(4);
  const page = entries["pessoa.html"] ?? "";
  expect([page.includes(person.words), page.includes("<script")]).toEqual([true, false]);
  const [path0] = Object.values(file.files);
  expect(entries[path0 ?? ""]).toBe(person.words);
  expect(page).toContain(path0);

  const archives = await openMediaFolder(join(app.dataDir, "company-archives"));
  const clock = { now: () => addDays(app.clock.now(), 2) };
  await sweepPersonExportsAcrossCompanies({ db, clock, archives });
  expect((await download(admin)).status).toBe(404);
  expect(await readdir(join(app.dataDir, "company-archives", `company${company.id}`))).toEqual([]);
});

test("an export whose file cannot be read fails, and the process goes on", async () => {
  const { company, admin, person } = await given();
  const path = join(app.dataDir, "media", `company${company.id}`, person.file);
  await rm(path);
  await symlink(path, path);
  await app.as(admin).post(`/privacy/contacts/${person.contactId}/exports`, { language: "pt" });
  const state = async () => {
    await run(sql`select pg_notify('balcao_wake', 'person-exports')`);
    const { body } = await app.as(admin).get<HeldPerson>(`/privacy/contacts/${person.contactId}`);
    return body.exports[0]?.state;
  };
  await expect.poll(state).toBe("failed");
});

test("retention removes old files and messages of resolved tickets, and no others", async () => {
  const { company, admin } = await given();
  const old = addDays(app.clock.now(), -100);
  const make = async (status: "open" | "closed", at: Date) => {
    const person = await givenPerson(app, company, admin, { messages: 2 });
    await run(sql`
      update tickets set status = ${status}, created_at = ${at}, last_message_at = ${at}
       where id = ${person.ticket.id}`);
    await run(sql`
      update messages set created_at = ${at} where company_id = ${company.id} and ticket_id = ${person.ticket.id}`);
    return person;
  };
  const gone = await make("closed", old);
  const served = await make("open", old);
  const recent = await make("closed", app.clock.now());
  const held = await make("closed", old);
  await app.as(admin).put(`/privacy/contacts/${held.contactId}/hold`, { reason: "Processo" });
  const rules = { mediaDays: 30, messageDays: 60 };
  const preview = await app.as(admin).post("/privacy/retention", rules);
  expect(preview.body).toEqual({ files: 1, bytes: 9, messages: 2 });
  const troubled = await given();
  const settings: PrivacySettings = {
    ...{ ...rules, textPt: "", textEn: "", textEs: "", isTextSent: false },
    ...{ officerName: "Ana", officerEmail: "ana@loja.example", officerPhone: "" },
  };
  expect((await app.as(admin).put("/privacy/settings", settings)).status).toBe(200);
  expect((await app.as(admin).get("/privacy/settings")).body).toEqual(settings);

  await app.as(troubled.admin).put("/privacy/settings", settings);
  await run(sql`
    update messages set created_at = ${old} where company_id = ${troubled.company.id} and ticket_id = ${troubled.person.ticket.id}`);
  await run(sql`
    update tickets set status = 'closed', created_at = ${old} where id = ${troubled.person.ticket.id}`);
  const removed: string[] = [];
  const files = {
    removeUnused: async (companyId: number, keys: readonly string[]) => {
      if (companyId === troubled.company.id) throw new Error("no store");
      removed.push(...keys);
    },
  };
  // One company's trouble is told at the end, and keeps no other one's files.
  await expect(
    keepRetentionAcrossCompanies({ db, clock: app.clock, stores: [], files }),
  ).rejects.toThrow("retention failed");
  expect(removed).toEqual(gone.files.slice(0, 2));
  const left = async (ticketId: number) =>
    (
      await run<{ n: number }>(
        sql`select count(*)::int as n from messages where ticket_id = ${ticketId}`,
      )
    )[0]?.n;
  const counts = [gone, served, recent, held].map(({ ticket }) => left(ticket.id));
  expect(await Promise.all(counts)).toEqual([0, 2, 2, 2]);
  expect(
    await run(sql`select last_message as text from tickets where id = ${gone.ticket.id}`),
  ).toEqual([{ text: "" }]);
  expect((await app.as(admin).post("/privacy/retention", rules)).body).toMatchObject({
    messages: 0,
  });
});

test("the history of consent has what people recorded, and opt-outs by hand and by word", async () => {
  const { company, admin, person } = await given();
  const agent = await app.given.agent({ company });
  const path = `/privacy/contacts/${person.contactId}/consents`;
  await app.as(agent).post(path, { kind: "given", way: "form", note: "Ficha 12" });
  await app.as(admin).put(`/contacts/${person.contactId}/opt-out`);
  await run(sql`
    insert into contact_events (company_id, contact_id, change, at)
    values (${company.id}, ${person.contactId}, '{"kind":"optedOut","source":"word"}', now())`);
  const { body } = await app.as(agent).get<{ consents: Consent[] }>(path);
  expect(
    body.consents.map(({ kind, way, note, user }) => [kind, way, note, user?.id ?? null]),
  ).toEqual([
    ["withdrawn", "word", "", null],
    ["withdrawn", "person", "", admin.id],
    ["given", "form", "Ficha 12", agent.id],
  ]);
});

test("the privacy text goes once to a new contact, in the language of the number", async () => {
  const company = await app.given.company();
  const admin = await app.given.admin({ company });
  await app.as(admin).put("/privacy/settings", {
    ...{ mediaDays: null, messageDays: null, isTextSent: true },
    ...{ textPt: "Aviso de privacidade", textEn: "Privacy notice", textEs: "" },
    ...{ officerName: "", officerEmail: "", officerPhone: "" },
  });
  // A message of the history that a linked phone brings is no new contact's.
  const ended = await app.given.connection({ company, linked: false });
  const chat = { kind: "pn", value: "5511977776666" } as const;
  const event = textEvent({ chat, origin: "history", text: "Em março" });
  await run(sql`
    insert into inbound_journal (company_id, connection_id, chat_key, event)
    values (${company.id}, ${ended}, ${chatKeyOf(chat)}, ${encodeEvent(event).text})`);
  const connectionId = await app.given.connection({ company });
  await app.idle();
  const brought = () => run(sql`select from messages where connection_id = ${ended}`);
  await expect.poll(brought).toHaveLength(1);
  for (const phone of ["5511988887777", "447700900123", "5511988887777"]) {
    const sent = await app
      .as(admin)
      .post(`/simulator/connections/${connectionId}/chats/${phone}/messages`, { body: "Oi" });
    expect(sent.status).toBe(200);
    await app.idle();
  }
  const texts = await run<{ body: string }>(sql`
    select m.body from messages m where company_id = ${company.id} and from_me order by seq`);
  expect(texts.map(({ body }) => body.replaceAll(/[^\w ]/g, ""))).toEqual([
    "Aviso de privacidade",
    "Privacy notice",
  ]);
});
