import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { Address } from "../../channels/port.ts";
import type { ChannelSide } from "../messages/testing/channel-side.ts";
import { channelSide, newPhone, textEvent } from "../messages/testing/channel-side.ts";

let side: ChannelSide;
beforeAll(async () => {
  side = await channelSide();
});

type Found = { contactId: number; ticketId: number };

async function find({ kind, value }: Address): Promise<Found> {
  const [row] = await side.rows<Found>(sql`
    select a.contact_id as "contactId", t.id as "ticketId"
    from contact_addresses a join tickets t on t.contact_id = a.contact_id
    where a.kind = ${kind} and a.value = ${value}`);
  if (!row) throw new Error("nobody is known there");
  return row;
}

test("merging two contacts keeps fields, notes, scheduled messages, drafts and reactions", async () => {
  const phone = newPhone();
  const lid: Address = { kind: "lid", value: `66${phone.value}` };
  await side.receive(textEvent({ chat: phone }));
  await side.receive(textEvent({ chat: lid }));
  const [kept, dropped] = [await find(phone), await find(lid)];
  // The livelier one of two tickets stays.
  await side.rows(sql`update tickets set status = 'open' where id = ${kept.ticketId}`);
  const { id: userId } = await side.given.agent({ company: side.company });
  const { companyId } = side;
  await side.rows(sql`
    insert into contact_extra_info (company_id, contact_id, name, value)
    values (${companyId}, ${dropped.contactId}, 'Cidade', 'Recife')`);
  await side.rows(sql`
    insert into ticket_notes (company_id, ticket_id, contact_id, note)
    values (${companyId}, ${dropped.ticketId}, ${dropped.contactId}, 'cliente antigo')`);
  await side.rows(sql`
    insert into schedules (company_id, contact_id, ticket_id, body, send_at, due_at)
    values (${companyId}, ${dropped.contactId}, ${dropped.ticketId}, 'lembrete', now(), now())`);
  await side.rows(sql`
    insert into drafts (company_id, user_id, ticket_id, body)
    values (${companyId}, ${userId}, ${dropped.ticketId}, 'rascunho')`);
  await side.rows(sql`
    insert into message_reactions (company_id, message_id, author, contact_id, emoji)
    select ${companyId}, id, 'contact:' || ${dropped.contactId}::int, ${dropped.contactId}, '👍'
    from messages where ticket_id = ${dropped.ticketId}`);
  side.told.take();

  await side.receive(textEvent({ chat: phone, from: { addresses: [lid] } }));
  const { contactId, ticketId } = kept;
  expect(await find(lid)).toEqual(kept);
  const rows = (table: string, columns: string) =>
    side.rows(sql`select ${sql.raw(columns)} from ${sql.identifier(table)}`);
  expect(await rows("contact_extra_info", "contact_id, value")).toEqual([
    { contact_id: contactId, value: "Recife" },
  ]);
  expect(await rows("ticket_notes", "contact_id, ticket_id, note")).toEqual([
    { contact_id: contactId, ticket_id: ticketId, note: "cliente antigo" },
  ]);
  expect(await rows("schedules", "contact_id, ticket_id, body")).toEqual([
    { contact_id: contactId, ticket_id: ticketId, body: "lembrete" },
  ]);
  expect(await rows("drafts", "ticket_id, body")).toEqual([
    { ticket_id: ticketId, body: "rascunho" },
  ]);
  expect(await rows("message_reactions", "contact_id, author, emoji")).toEqual([
    { contact_id: contactId, author: `contact:${contactId}`, emoji: "👍" },
  ]);
  const told = side.told.take().filter(({ subject }) => subject === "contact");
  expect(told.map(({ payload }) => payload)).toMatchObject([
    { action: "delete", contactId: dropped.contactId },
    { action: "update", contact: { id: contactId, extraInfo: [{ value: "Recife", contactId }] } },
  ]);
});

test("only a new contact and its first real name are published", async () => {
  const chat = newPhone();
  const { kind, value } = chat;
  const lid: Address = { kind: "lid", value: `55${value}` };
  side.told.take();
  await side.receive(textEvent({ chat }));
  await side.receive(textEvent({ chat, from: { addresses: [chat, lid] } }));
  await side.receive(textEvent({ chat, name: "Ana" }));
  await side.receive(textEvent({ chat, name: "Ana Lima" }));
  const told = side.told.take().filter(({ subject }) => subject === "contact");
  const { contactId: id } = await find({ kind, value });
  expect(told).toMatchObject([
    { payload: { action: "create", contact: { id, name: value, number: value } } },
    { payload: { action: "update", contact: { id, name: "Ana", number: value } } },
  ]);
});
