import type {
  CampaignId,
  CompanyId,
  ConnectionId,
  ContactId,
  ContactImportId,
  ContactListId,
  ContactListItemId,
  ImportSettings,
  MacroId,
  MessageId,
  NoteId,
  Profile,
  QueueId,
  QueueOptionId,
  FileListId,
  FileListOptionId,
  QuickMessageId,
  ResolveReasonId,
  ScheduleId,
  TagId,
  TicketId,
  TicketViewId,
  UserId,
  ViewFilter,
} from "@balcao/contract";
import { sql } from "drizzle-orm";
import { v7 } from "uuid";
import { saveAccount } from "../../channels/cloud-api/accounts.ts";
import { sampleAccount } from "../../channels/cloud-api/testing/graph-stub.ts";
import { createSeal } from "../../platform/secrets/seal.ts";
import type { TestApp } from "../app.ts";
import type { GivenCompany, GivenUser } from "../given.ts";
import { PASSWORD, unique } from "../given.ts";

/** When the contacts without tickets were changed last. */
export const CONTACTS_SEEN_AT = "2026-01-01T12:00:00.000Z";

export type Role = Profile | "super";
export const roles = ["user", "supervisor", "admin", "super"] as const satisfies readonly Role[];

/** A company with one person of each kind; agents and tickets are in its queue. */
export type Side = {
  company: GivenCompany;
  queueId: QueueId;
  people: Record<Role, GivenUser>;
};

export async function createSide({ given }: TestApp): Promise<Side> {
  // Each row of connections, users and queues is a new one.
  const plenty = 1_000_000;
  const plan = { connections: plenty, users: plenty, queues: plenty };
  const company = await given.company({ plan });
  const queueId = await given.queue({ company });
  const queueIds = [queueId];
  const people = {
    user: await given.agent({ company, queueIds }),
    supervisor: await given.supervisor({ company, queueIds }),
    admin: await given.admin({ company }),
    super: await given.admin({ company, super: true }),
  };
  return { company, queueId, people };
}

/** Rows of one company, fresh for one call, so that what one call does to them is nothing to the next. */
export type Rows = {
  companyId: CompanyId;
  queueId: QueueId;
  /** A queue of nobody, with an option that has another one below it, and with a draft of its chatbot that has none. */
  spareQueueId: QueueId;
  draftAt: string;
  queueOptionId: QueueOptionId;
  childOptionId: QueueOptionId;
  userId: UserId;
  /** An agent whom nobody else needs. */
  colleagueId: UserId;
  email: string;
  password: string;
  /** Linked and, as far as the database says, connected. */
  connectionId: ConnectionId;
  /** Not linked; shows `pairingCode`. */
  pairingConnectionId: ConnectionId;
  pairingCode: string;
  /** A customer of the connection, with a message. */
  phone: string;
  networkMessageId: string;
  /** A picture on the simulated network. */
  networkFileId: string;
  /** Waits in the queue. */
  ticketId: TicketId;
  ticketUuid: string;
  /** The ticket's contact, with a row of extra information. */
  contactId: ContactId;
  extraInfoId: number;
  /** Has no ticket. */
  freeContactId: ContactId;
  twinContactId: ContactId;
  /** A message of the ticket. */
  tagId: TagId;
  /** `userId` has deleted it, and may undo that. */
  deletedTagId: TagId;
  reasonId: ResolveReasonId;
  macroId: MacroId;
  ticketViewId: TicketViewId;
  /** `userId` has deleted it, and may undo that. */
  deletedViewId: TicketViewId;
  /** `userId` has accepted it, and may undo that. */
  acceptedTicketId: TicketId;
  undoId: string;
  /** These three are of `userId`. */
  noteId: NoteId;
  deletedNoteId: NoteId;
  /** An inactive one, one that runs and a cancelled one with somebody to whom it can be sent again. */
  campaignId: CampaignId;
  runningCampaignId: CampaignId;
  cancelledCampaignId: CampaignId;
  fileListId: FileListId;
  fileListOptionId: FileListOptionId;
  quickMessageId: QuickMessageId;
  contactListId: ContactListId;
  contactListItemId: ContactListItemId;
  /** A draft that can begin, one that waits, and one that somebody has paused. */
  contactImportId: ContactImportId;
  waitingImportId: ContactImportId;
  pausedImportId: ContactImportId;
  scheduleId: ScheduleId;
  /** The customer's message in the ticket. */
  messageId: MessageId;
  /** A text of the company in the ticket, sent a moment ago. */
  sentMessageId: MessageId;
  /** A text of the company that still waits and may be taken back. */
  waitingMessageId: MessageId;
  /** The company's message in the ticket, which did not go out. */
  failedMessageId: MessageId;
  /** On the official API, with the account and the template that every stub of Meta has. */
  officialConnectionId: ConnectionId;
  officialTicketId: TicketId;
  /** Stands in the customer's message; a reply that holds it shows the row. */
  mark: string;
};

/** The rows of a side; `userId` is the account's that the calls name. */
export async function createRows(
  { as, given, database, url }: TestApp,
  { company, queueId, people }: Side,
  role: Role = "user",
): Promise<Rows> {
  const connectionId = await given.connection({ company });
  const pairingConnectionId = await given.connection({ company, linked: false });
  const mark = `marca-${company.id}-${unique()}`;
  const pairingCode = `balcao:${mark}`;
  const networkMessageId = `SIM-${mark}-${unique()}`;
  const ticket = await given.ticket({ company, connectionId, queueId, contactName: mark });
  const messageId = await given.message(ticket, { body: mark, queueId });
  const failedMessageId = await given.message(ticket, {
    body: mark,
    queueId,
    fromMe: true,
    failedCode: "ERR_SENDING_WAPP_MSG",
  });
  const sentMessageId = await given.message(ticket, { body: mark, queueId, fromMe: true });
  const waitingMessageId = await given.message(ticket, { body: mark, queueId, fromMe: true });
  const userId = people[role].id;
  const colleague = await given.agent({ company, name: mark.slice(0, 50) });
  const spareQueueId = await given.queue({ company });
  const officialConnectionId = await given.connection({ company, linked: false });
  const official = await given.ticket({
    company,
    connectionId: officialConnectionId,
    queueId,
    contactName: `${mark} oficial`,
  });
  const accepted = await given.ticket({
    company,
    connectionId,
    queueId,
    contactName: `${mark} meu`,
  });
  await as(people[role]).put(`/tickets/${accepted.id}`, { status: "open", undoSeconds: 10 });
  const more = await database.db.acrossCompanies(async (tx) => {
    await tx.query(sql`
      update connections set status = 'CONNECTED' where id = ${connectionId}`);
    await tx.query(sql`
      update connections set channel = 'cloud-api' where id = ${officialConnectionId}`);
    await saveAccount(
      tx,
      createSeal(database.secrets.seal),
      { companyId: company.id, connectionId: officialConnectionId },
      { ...sampleAccount, webhookKey: newClientId() },
    );
    await tx.query(sql`
      insert into outbound (company_id, connection_id, message_id, chat_key, to_kind, to_value, provider_id,
                            body, state, error_code)
      select company_id, connection_id, id, ${`pn:${ticket.phone}`}, 'pn', ${ticket.phone}, provider_id,
             ${JSON.stringify({ kind: "text", text: mark })}, 'failed', 'bad-request'
        from messages where company_id = ${company.id} and id = ${failedMessageId}`);
    await tx.query(sql`
      insert into simulator_lines (company_id, connection_id, pairing_code)
      values (${company.id}, ${pairingConnectionId}, ${pairingCode})`);
    await tx.query(sql`
      insert into simulator_customers (company_id, connection_id, phone, name)
      values (${company.id}, ${connectionId}, ${ticket.phone}, ${mark})`);
    await tx.query(sql`
      insert into simulator_messages (company_id, connection_id, phone, id, from_customer, body, ack, delivered)
      values (${company.id}, ${connectionId}, ${ticket.phone}, ${networkMessageId}, true, ${mark}, 2, true)`);
    const [tag] = await tx.query<{ id: TagId }>(sql`
      insert into tags (company_id, name) values (${company.id}, ${mark}) returning id`);
    if (!tag) throw new Error("the tag is not there");
    await tx.query(sql`
      insert into ticket_tags (company_id, ticket_id, tag_id) values (${company.id}, ${ticket.id}, ${tag.id})`);
    const chatKey = `pn:${ticket.phone}`;
    await tx.query(sql`
      insert into outbound (company_id, connection_id, message_id, chat_key, to_kind, to_value, provider_id,
                            body, state, due_at)
      select company_id, connection_id, id, ${chatKey}, 'pn', ${ticket.phone}, provider_id,
             ${JSON.stringify({ kind: "text", text: mark })}, 'queued', now() + interval '1 hour'
        from messages where company_id = ${company.id} and id = ${waitingMessageId}`);
    await tx.query(sql`
      update messages set ack = 0, undo_until = now() + interval '1 hour'
       where company_id = ${company.id} and id = ${waitingMessageId}`);
    const one = async <T>(query: ReturnType<typeof sql>): Promise<T> => {
      const [row] = await tx.query<{ id: T }>(query);
      if (!row) throw new Error("the row is not there");
      return row.id;
    };
    const queueOptionId = await one<QueueOptionId>(sql`
      insert into queue_options (company_id, queue_id, number, title, message)
      values (${company.id}, ${spareQueueId}, 1, ${mark}, ${mark}) returning id`);
    const [{ draftAt } = { draftAt: new Date(0) }] = await tx.query<{ draftAt: Date }>(sql`
      update queues set draft_changed_at = now() where id = ${spareQueueId} returning draft_changed_at as "draftAt"`);
    // A company has so many macros at most; roles that only read keep their rows for many calls of the others.
    await tx.query(sql`
      delete from macros where company_id = ${company.id} and id not in (
        select id from macros where company_id = ${company.id} order by id desc limit 40)`);
    // A company has so many reasons and views at most; the newest rows need theirs.
    await tx.query(sql`
      delete from ticket_views where company_id = ${company.id} and id not in (
        select id from ticket_views where company_id = ${company.id} order by id desc limit 10)`);
    await tx.query(sql`
      update resolve_reasons set deleted_at = now()
       where company_id = ${company.id} and id not in (
         select id from resolve_reasons where company_id = ${company.id} order by id desc limit 20)`);
    const contactListId = await one<ContactListId>(
      sql`insert into contact_lists (company_id, name) values (${company.id}, ${mark}) returning id`,
    );
    const fileListId = await one<FileListId>(sql`
      insert into file_lists (company_id, name, message) values (${company.id}, ${mark}, ${mark}) returning id`);
    const campaign = (status: string): Promise<CampaignId> =>
      one<CampaignId>(sql`
        with made as (
          insert into campaigns (company_id, name, messages, confirmations, status, connection_id, contact_list_id)
          values (${company.id}, ${mark}, '["Oi {nome}"]', '[]', ${status}, ${connectionId}, ${status === "EM_ANDAMENTO" ? null : contactListId})
          returning id
        ), filled as (
          insert into campaign_recipients (company_id, campaign_id, position, name, number, message, status, error_code, is_known, changed_at)
          select ${company.id}, id, 0, ${mark}, '5511977770002', 'Oi', 'failed', 'ERR_SENDING_WAPP_MSG', false, now() from made
        )
        select id from made`);
    const contactImport = (state: string): Promise<ContactImportId> =>
      one<ContactImportId>(sql`
        with made as (
          insert into contact_imports (company_id, user_id, file_name, file_bytes, state, width, rows, settings, due_at)
          values (${company.id}, ${userId}, ${mark}, 1, ${state}, 1, 1, ${JSON.stringify(importSettings)}::jsonb,
            case when ${state} = 'waiting' then now() end)
          returning id
        ), filled as (
          insert into contact_import_rows (company_id, contact_import_id, line, cells, problem)
          select ${company.id}, id, 1, jsonb_build_array(${mark}::text), 'notANumber' from made
        )
        select id from made`);
    return {
      tagId: tag.id,
      contactImportId: await contactImport("draft"),
      waitingImportId: await contactImport("waiting"),
      pausedImportId: await contactImport("paused"),
      campaignId: await campaign("INATIVA"),
      runningCampaignId: await campaign("EM_ANDAMENTO"),
      cancelledCampaignId: await campaign("CANCELADA"),
      fileListId,
      fileListOptionId: await one<FileListOptionId>(sql`
        insert into file_list_options (company_id, file_list_id, place, name)
        values (${company.id}, ${fileListId}, 0, ${mark}) returning id`),
      contactListId,
      contactListItemId: await one<ContactListItemId>(sql`
        insert into contact_list_items (company_id, contact_list_id, name, number)
        values (${company.id}, ${contactListId}, ${mark}, '5511977770001') returning id`),
      draftAt: draftAt.toISOString(),
      undoId: await one<string>(sql`
        update ticket_undos set until = now() + interval '1 hour' where ticket_id = ${accepted.id} returning id`),
      deletedTagId: await one<TagId>(sql`
        insert into tags (company_id, name, deleted_at, deleted_by)
        values (${company.id}, ${`${mark} excluída`}, now() + interval '1 hour', ${userId}) returning id`),
      reasonId: await one<ResolveReasonId>(sql`
        insert into resolve_reasons (company_id, name) values (${company.id}, ${mark}) returning id`),
      macroId: await one<MacroId>(sql`
        insert into macros (company_id, name, tag_id) values (${company.id}, ${mark.slice(0, 50)}, ${tag.id}) returning id`),
      ticketViewId: await one<TicketViewId>(sql`
        insert into ticket_views (company_id, user_id, name, is_shared, filter)
        values (${company.id}, ${userId}, ${mark.slice(0, 40)}, false, ${JSON.stringify(openView)}) returning id`),
      deletedViewId: await one<TicketViewId>(sql`
        insert into ticket_views (company_id, user_id, name, is_shared, filter, deleted_at, deleted_by)
        values (${company.id}, ${userId}, ${mark.slice(0, 40)}, false, ${JSON.stringify(openView)},
                now() + interval '1 hour', ${userId}) returning id`),
      queueOptionId,
      childOptionId: await one<QueueOptionId>(sql`
        insert into queue_options (company_id, queue_id, parent_id, number, title)
        values (${company.id}, ${spareQueueId}, ${queueOptionId}, 1, ${mark}) returning id`),
      extraInfoId: await one<number>(sql`
        insert into contact_extra_info (company_id, contact_id, name, value)
        values (${company.id}, ${ticket.contactId}, 'Cidade', ${mark}) returning id`),
      freeContactId: await one<ContactId>(sql`
        insert into contacts (company_id, name, number, updated_at)
        values (${company.id}, ${`${mark} sem atendimento`}, ${`55218${10_000_000 + unique()}`}, ${CONTACTS_SEEN_AT}) returning id`),
      twinContactId: await one<ContactId>(sql`
        insert into contacts (company_id, name, number, updated_at)
        values (${company.id}, ${`${mark} repetido`}, ${`55218${10_000_000 + unique()}`}, ${CONTACTS_SEEN_AT}) returning id`),
      noteId: await one<NoteId>(sql`
        insert into ticket_notes (company_id, ticket_id, contact_id, user_id, note)
        values (${company.id}, ${ticket.id}, ${ticket.contactId}, ${userId}, ${mark}) returning id`),
      deletedNoteId: await one<NoteId>(sql`
        insert into ticket_notes (company_id, ticket_id, contact_id, user_id, note, deleted_at, deleted_by)
        values (${company.id}, ${ticket.id}, ${ticket.contactId}, ${userId}, ${mark}, now() + interval '1 hour', ${userId})
        returning id`),
      quickMessageId: await one<QuickMessageId>(sql`
        insert into quick_messages (company_id, user_id, shortcode, message)
        values (${company.id}, ${userId}, ${mark}, ${mark}) returning id`),
      scheduleId: await one<ScheduleId>(sql`
        insert into schedules (company_id, contact_id, ticket_id, user_id, body, send_at, due_at)
        values (${company.id}, ${ticket.contactId}, ${ticket.id}, ${userId}, ${mark},
                '2090-01-01T12:00:00Z', '2090-01-01T12:00:00Z') returning id`),
    };
  });
  return {
    spareQueueId,
    ...{ companyId: company.id, queueId, connectionId, pairingConnectionId, pairingCode, mark },
    ...{ messageId, sentMessageId, waitingMessageId, failedMessageId, networkMessageId },
    networkFileId: await sendPicture(
      `${url}/api/simulator/connections/${connectionId}/chats/${ticket.phone}/messages`,
      people.admin.token,
    ),
    ...{ officialConnectionId, officialTicketId: official.id, acceptedTicketId: accepted.id },
    ...more,
    contactId: ticket.contactId,
    userId,
    colleagueId: colleague.id,
    email: people[role].email,
    password: PASSWORD,
    ticketId: ticket.id,
    ticketUuid: ticket.uuid,
    phone: ticket.phone,
  };
}

/**
 * Rows of a side that no call has changed yet. Making them takes longer than most calls, so each role keeps its rows until
 * one of its calls wrote: `after` is told what was written.
 */
export function createUnusedRows(product: TestApp, side: Side) {
  const unused = new Map<Role, Rows>();
  return {
    of: async (role: Role): Promise<Rows> => {
      const rows = unused.get(role) ?? (await createRows(product, side, role));
      unused.set(role, rows);
      return rows;
    },
    after: (role: Role, written: readonly unknown[]): void => {
      if (written.length > 0) unused.delete(role);
    },
  };
}

/** A customer sends a picture; answers the network's id of the message. */
async function sendPicture(address: string, token: string): Promise<string> {
  const messageId = `SIM-${newClientId()}`;
  const form = new FormData();
  form.set("as", "image");
  form.set("messageId", messageId);
  form.set("file", new Blob(["picture"], { type: "image/png" }), "foto.png");
  const headers = { authorization: `Bearer ${token}` };
  const reply = await fetch(address, { method: "POST", headers, body: form });
  if (reply.status !== 200) throw new Error(`the picture was not taken: ${reply.status}`);
  return messageId;
}

const importSettings: ImportSettings = {
  ...{ titleRow: 0, country: "BR", rule: "keep" },
  columns: [{ target: "number", extraName: "" }],
};

const openView: ViewFilter = {
  ...{ status: "open", showAll: false, isUnread: false, isSnoozed: false, waitMinutes: null },
  ...{ queueIds: [], tagIds: [], userIds: [], connectionIds: [] },
};

export const newClientId = (): string => v7();
