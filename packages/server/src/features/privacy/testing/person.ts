import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CompanyId, ContactId, TicketId } from "@balcao/contract";
import type { SQL } from "drizzle-orm";
import { addDays } from "date-fns/addDays";
import { getTableName, sql } from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/pg-core";
import { v7 } from "uuid";
import { tablesOf } from "../../../platform/db/references.ts";
import * as schema from "../../../platform/db/schema/index.ts";
import type { TestApp } from "../../../testing/app.ts";
import type { GivenCompany, GivenTicket, GivenUser } from "../../../testing/given.ts";
import { unique } from "../../../testing/given.ts";
import type { Sought } from "../places.ts";
import { heldTables } from "../places.ts";

/** A person with data in every place that an erasure knows. */
export type GivenPerson = {
  contactId: ContactId;
  ticket: GivenTicket;
  groupTicketId: TicketId;
  number: string;
  lid: string;
  name: string;
  email: string;
  words: string;
  file: string;
  /** This one with its thumbnail, and the picture of the contact. */
  files: string[];
  /** Texts by which the person is found again. */
  marks: string[];
};

/** Runs SQL over all companies. */
export const runnerOf =
  ({ database }: TestApp) =>
  <Row>(statement: SQL): Promise<Row[]> =>
    database.db.acrossCompanies((tx) => tx.query<Row>(statement));

/** Makes a person of the company, and another one with whom nothing is shared but a group. */
export async function givenPerson(
  app: TestApp,
  company: GivenCompany,
  admin: GivenUser,
  wish: { messages?: number } = {},
): Promise<GivenPerson> {
  const run = runnerOf(app);
  const key = String(90_000_000 + unique() * 7);
  const number = `55119${key}`;
  const lid = `8877${key}123`;
  const name = `Zulmira Quitéria ${key}`;
  const email = `zulmira${key}@cliente.example`;
  const words = `segredo-${key}`;
  const connectionId = await app.given.connection({ company, linked: false });
  const ticket = await app.given.ticket({
    company,
    connectionId,
    contactName: name,
    phone: number,
  });
  const { contactId, id: ticketId } = ticket;
  const { id } = company;
  for (let count = 0; count < (wish.messages ?? 3); count += 1)
    await app.given.message(ticket, { body: `${words} ${count}` });
  const file = `${v7()}.txt`;
  const thumbnail = `${v7()}.jpg`;
  const picture = `${v7()}.jpg`;
  for (const one of [file, thumbnail, picture]) await putFile(app, id, one, words);
  const group = await app.given.ticket({ company, connectionId, contactName: `Grupo ${key}` });
  const spoken = await app.given.message(group, { body: `${words} no grupo` });
  const bytes = Buffer.from(words);
  const far = addDays(app.clock.now(), 90);
  const ofTicket = sql`from messages where company_id = ${id} and ticket_id = ${ticketId} order by seq limit 1`;
  const statements = [
    sql`update contacts set email = ${email}, picture_key = ${picture} where id = ${contactId}`,
    sql`update contacts set is_group = true where id = ${group.contactId}`,
    sql`update tickets set is_group = true where id = ${group.id}`,
    sql`update messages set contact_id = ${contactId} where company_id = ${id} and id = ${spoken}`,
    sql`update messages set contact_id = ${contactId} where company_id = ${id} and ticket_id = ${ticketId}`,
    sql`insert into contact_addresses (company_id, kind, key, value, contact_id)
        values (${id}, 'pn', ${number}, ${number}, ${contactId}), (${id}, 'lid', ${lid}, ${lid}, ${contactId}) on conflict do nothing`,
    sql`insert into contact_extra_info (company_id, contact_id, name, value) values (${id}, ${contactId}, 'CPF', '390.533.447-05'), (${id}, ${contactId}, 'Apelido', ${`Zuzu-${key}`})`,
    sql`insert into contact_events (company_id, contact_id, change, at)
        values (${id}, ${contactId}, ${JSON.stringify({ kind: "merged", contact: { name: `Outrora ${key}`, number: `5521${key}`, email: "" }, lost: [] })}, now())`,
    sql`insert into message_media (company_id, message_id, kind, state, file_key, thumbnail_key, name, mime, bytes, transcript)
        select ${id}, id, 'document', 'ready', ${file}, ${thumbnail}, ${`${words}.txt`}, 'text/plain', 9, ${words} from messages
         where company_id = ${id} and ticket_id = ${ticketId} order by seq limit 1`,
    sql`insert into message_reactions (company_id, message_id, author, contact_id, emoji)
        select ${id}, id, 'contact:' || ${contactId}::int, ${contactId}, '👍' from messages where company_id = ${id} and ticket_id = ${ticketId} limit 1`,
    sql`insert into ticket_notes (company_id, ticket_id, contact_id, user_id, note) values (${id}, ${ticketId}, ${contactId}, ${admin.id}, ${words})`,
    sql`insert into drafts (company_id, user_id, ticket_id, body) values (${id}, ${admin.id}, ${ticketId}, ${words})`,
    sql`insert into schedules (company_id, contact_id, ticket_id, user_id, body, send_at, due_at)
        values (${id}, ${contactId}, ${ticketId}, ${admin.id}, ${words}, now() + interval '9 days', now() + interval '9 days')`,
    sql`with list as (insert into contact_lists (company_id, name) values (${id}, 'Lista') returning id)
        insert into contact_list_items (company_id, contact_list_id, name, number) select ${id}, id, ${name}, ${number} from list`,
    sql`with campaign as (insert into campaigns (company_id, name, messages, confirmations, status)
          values (${id}, 'Campanha', '["oi"]', '[]', 'FINALIZADA') returning id)
        insert into campaign_recipients (company_id, campaign_id, position, contact_id, name, number, message, status, is_known, changed_at)
        select ${id}, id, 0, ${contactId}, ${name}, ${number}, ${words}, 'read', true, now() from campaign`,
    sql`with import as (insert into contact_imports (company_id, user_id, file_name, file_bytes, state)
          values (${id}, ${admin.id}, 'a.csv', 1, 'done') returning id)
        insert into contact_import_rows (company_id, contact_import_id, line, cells, number)
        select ${id}::int, id, 1, ${JSON.stringify([name, number])}::jsonb, ${number} from import
        union all select ${id}::int, id, 2, ${JSON.stringify([name, email])}::jsonb, null from import`,
    sql`insert into known_numbers (company_id, key, number, checked_at) values (${id}, ${number}, ${number}, now())`,
    sql`insert into phone_book_entries (company_id, connection_id, number_normal, number, name, updated_at)
        values (${id}, ${connectionId}, ${number}, ${number}, ${name}, now())`,
    sql`with hook as (insert into webhooks (company_id, name, url, events, secret) values (${id}, 'w', 'https://a.example', '[]', '\\x00') returning id)
        insert into deliveries (company_id, webhook_id, ticket_id, event_id, kind, body, state, due_at, answer)
        select ${id}::int, id, ${ticketId}::int, ${v7()}::uuid, 'message.received', ${words}, 'done', now(), '' from hook
        union all select ${id}::int, id, null, ${v7()}::uuid, 'message.received', ${`{"number":"${number}","text":"${words}"}`}, 'done', now(), '' from hook`,
    sql`insert into inbound_journal (company_id, connection_id, chat_key, event, failed_at)
        values (${id}, ${connectionId}, ${`pn ${number}`}, ${`{"from":"${number}","text":"${words}"}`}, now())`,
    sql`insert into early_events (company_id, connection_id, provider_id, event) values (${id}, ${connectionId}, 'x', ${`{"chat":"${lid}"}`})`,
    sql`insert into api_repeats (company_id, caller, key, request, reply) values (${id}, 'c', ${v7()}, 'r', ${JSON.stringify({ number, words })})`,
    sql`insert into read_receipts (company_id, connection_id, chat_key, to_kind, to_value, provider_id)
        values (${id}, ${connectionId}, ${`lid ${lid}`}, 'lid', ${lid}, 'x')`,
    sql`insert into whatsapp_keys (company_id, connection_id, type, id, data) values
        (${id}, ${connectionId}, 'session', ${`${lid}_1.0`}, ${bytes}), (${id}, ${connectionId}, 'lid-mapping', ${number}, '\\x00'),
        (${id}, ${connectionId}, 'sender-key', ${`123@g.us::${lid}_1::0`}, '\\x00')`,
    sql`insert into whatsapp_sent (company_id, connection_id, message_id, data)
        select ${id}, connection_id, provider_id, ${bytes} from messages where company_id = ${id} and ticket_id = ${ticketId} limit 1`,
    sql`insert into cloud_message_ids (company_id, connection_id, provider_id, wamid)
        select ${id}, connection_id, provider_id, ${`wamid.${number}`} from messages where company_id = ${id} and ticket_id = ${ticketId} limit 1`,
    sql`insert into simulator_customers (company_id, connection_id, phone, name, last_message) values (${id}, ${connectionId}, ${number}, ${name}, ${words})`,
    sql`insert into simulator_messages (company_id, connection_id, phone, id, from_customer, body, ack, delivered)
        values (${id}, ${connectionId}, ${number}, ${v7()}, true, ${words}, 2, true)`,
    sql`update tickets set last_message = ${words} where company_id = ${id} and id = ${ticketId}`,
    sql`update tickets set last_message = ${`${words} no grupo`}, last_message_id = ${spoken} where company_id = ${id} and id = ${group.id}`,
    sql`with tag as (insert into tags (company_id, name) values (${id}, ${`T${v7()}`}) returning id),
          one as (insert into contact_tags (company_id, contact_id, tag_id) select ${id}::int, ${contactId}::int, id from tag)
        insert into ticket_tags (company_id, ticket_id, tag_id) select ${id}::int, ${ticketId}::int, id from tag`,
    sql`insert into ticket_pins (company_id, user_id, ticket_id) values (${id}, ${admin.id}, ${ticketId})`,
    sql`insert into distinct_contacts (company_id, contact_id, other_id) values (${id}, ${contactId}, ${group.contactId})`,
    sql`insert into privacy_notices (company_id, contact_id) values (${id}, ${contactId})`,
    sql`insert into lane_moves (company_id, ticket_id, user_id, moved_at) values (${id}, ${ticketId}, ${admin.id}, now())`,
    sql`insert into ticket_undos (company_id, ticket_id, id, user_id, until, before)
        values (${id}, ${ticketId}, ${v7()}, ${admin.id}, ${far}, ${JSON.stringify({ lastMessage: words })}::jsonb)`,
    sql`insert into attendant_turns (company_id, ticket_id) values (${id}, ${ticketId}) on conflict do nothing`,
    sql`with attendance as (
          insert into attendances (company_id, ticket_id, finished_at, rated, rate) values (${id}, ${ticketId}, now(), true, 3) returning id)
        insert into ratings (company_id, attendance_id, ticket_id, rate) select ${id}::int, id, ${ticketId}::int, 3 from attendance`,
    sql`with one as (insert into integrations (company_id, type, name, secret) values (${id}, 'typebot', ${v7()}, '\\x00') returning id)
        insert into bot_sessions (company_id, ticket_id, integration_id, session_id, last_at, pending)
        select ${id}::int, ${ticketId}::int, id, 's', now(), ${JSON.stringify([words])}::jsonb from one`,
    sql`insert into billing_lookups (company_id, ticket_id, seq, is_lookup, at) values (${id}, ${ticketId}, 1, true, now())`,
    sql`with one as (insert into prompts (company_id, name, prompt, base_url, model, api_key, api_key_end, voice, max_tokens, temperature,
            max_messages, day_tokens, ticket_tokens) values (${id}, ${v7()}, 'oi', '', '', '\\x00', '', 'text', 1, 0, 1, 0, 0) returning id)
        insert into prompt_tickets (company_id, prompt_id, ticket_id, day) select ${id}::int, id, ${ticketId}::int, current_date from one`,
    sql`insert into transcript_jobs (company_id, message_id, due_at) select ${id}::int, id, ${far}::timestamptz ${ofTicket}`,
    sql`insert into media_downloads (company_id, connection_id, message_id, source, due_at)
        select ${id}::int, connection_id, id, ${words}, ${far}::timestamptz ${ofTicket}`,
    sql`insert into outbound (company_id, connection_id, message_id, chat_key, to_kind, to_value, provider_id, body, state)
        select ${id}::int, connection_id, id, ${`pn ${number}`}, 'pn', ${number}, provider_id, ${words}, 'done' ${ofTicket}`,
    sql`insert into channel_questions (id, company_id, connection_id, question) values (${v7()}, ${id}, ${connectionId}, ${JSON.stringify({ number })})`,
    sql`insert into mails (company_id, kind, name, address, subject, text, html, state, due_at)
        values (${id}, 'test', '', 'ana@loja.example', ${`Sobre ${email}`}, ${words}, '', 'sent', now())`,
    sql`insert into cloud_deliveries (company_id, connection_id, body, failed_at)
        values (${id}, ${connectionId}, ${JSON.stringify({ from: number, words })}, now())`,
    sql`select note_audit('{"kind":"user","name":"Ana"}', ${id}, 'changed', 'contact', ${`${contactId}`}, ${name},
          ${JSON.stringify({ number, email })}::jsonb, ${JSON.stringify({ text: `de ${name}: ${lid}` })}::jsonb)`,
    sql`select note_audit('{"kind":"user","name":"Ana"}', ${id}, 'added', 'file', 'x', ${`conversa com ${name.toUpperCase()}.csv`})`,
  ];
  for (const statement of statements) await run(statement);
  return {
    ...{ contactId, ticket, groupTicketId: group.id, number, lid, name, email, words, file },
    files: [file, thumbnail, picture],
    marks: [number, lid, name, email, words, `Outrora ${key}`, `5521${key}`, `Zuzu-${key}`],
  };
}

async function putFile(
  app: TestApp,
  companyId: CompanyId,
  file: string,
  content: string,
): Promise<void> {
  const folder = join(app.dataDir, "media", `company${companyId}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, file), content);
  await runnerOf(app)(sql`
    insert into files (company_id, key, mime, is_whole, bytes) values (${companyId}, ${file}, 'text/plain', true, 9)`);
}

/** Every row of the database that has one of the texts, as such or in bytes, as `table: row`. */
export async function searchDatabase(app: TestApp, marks: readonly string[]): Promise<string[]> {
  const run = runnerOf(app);
  const tables = await run<{ name: string }>(sql`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`);
  const patterns = marks.flatMap((mark) => [`%${mark}%`, `%${Buffer.from(mark).toString("hex")}%`]);
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await run<{ row: string }>(sql`
      select t::text as row from ${sql.identifier(name)} t where t::text ilike any (${sql.param(patterns)}::text[])`);
    found.push(...rows.map(({ row }) => `${name}: ${row.slice(0, 200)}`));
  }
  return found;
}

/** The rows of each table that a look at the person reads, by their primary keys. */
export async function rowsByTable(app: TestApp, sought: Sought): Promise<Map<string, string[]>> {
  const run = runnerOf(app);
  const rows = new Map<string, string[]>();
  for (const { name, where } of heldTables) {
    const found = await run<{ key: string }>(sql`
      select ${keyOf(name)} as key from ${sql.identifier(name)} where company_id = ${sought.companyId} and (${where(sought)})`);
    rows.set(name, [...(rows.get(name) ?? []), ...found.map(({ key }) => key)]);
  }
  return rows;
}

/** The tables in which one of the rows is still there. */
export async function tablesWith(app: TestApp, rows: Map<string, string[]>): Promise<string[]> {
  const run = runnerOf(app);
  const left: string[] = [];
  for (const [name, keys] of rows) {
    const found = await run(sql`
      select from ${sql.identifier(name)} where ${keyOf(name)} = any (${sql.param(keys)}::text[])`);
    if (found.length > 0) left.push(name);
  }
  return left.toSorted();
}

const keyOf = (name: string): SQL => {
  const table = tablesOf(schema).find((one) => getTableName(one) === name);
  const { primaryKeys = [], columns = [] } = table ? getTableConfig(table) : {};
  const own = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
  return sql`concat_ws(' ', ${sql.join(
    own.map((column) => sql.identifier(column.name)),
    sql`, `,
  )})`;
};
