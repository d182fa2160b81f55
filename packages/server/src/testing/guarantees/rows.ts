import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type {
  AnnouncementId,
  ApiTokenId,
  ChargeId,
  InvoiceId,
  PasskeyId,
  PaymentId,
  CampaignId,
  ChatId,
  ChatMessageId,
  CompanyId,
  DeliveryId,
  IntegrationId,
  ConnectionId,
  ContactId,
  ContactImportId,
  ContactListId,
  ContactListItemId,
  BrandId,
  HelpId,
  MailId,
  PlanId,
  KnowledgeId,
  PromptId,
  ImportSettings,
  MacroId,
  MessageId,
  NoteId,
  QueueId,
  QueueOptionId,
  FileListId,
  FileListOptionId,
  QuickMessageId,
  RoleId,
  ResolveReasonId,
  ScheduleId,
  SessionId,
  TagId,
  TicketId,
  TicketViewId,
  UserId,
  ViewFilter,
  WebhookId,
} from "@balcao/contract";
import type { SQL } from "drizzle-orm";
import { sql } from "drizzle-orm";
import { v7 } from "uuid";
import { saveAccount } from "../../channels/cloud-api/accounts.ts";
import { sampleAccount } from "../../channels/cloud-api/testing/graph-stub.ts";
import { hashPassword } from "../../features/auth/index.ts";
import { codeSecret } from "../../features/auth/password-reset.ts";
import { newSecret } from "../../features/integrations/secrets.ts";
import { purposeOf } from "../../features/prompts/prompts.ts";
import { startProviderStub } from "../../features/prompts/testing/provider-stub.ts";
import { createSeal } from "../../platform/secrets/seal.ts";
import { systemSources } from "../../platform/sources.ts";
import type { TestApp } from "../app.ts";
import { atEndOfFile } from "../end-of-file.ts";
import { PASSWORD, unique } from "../given.ts";
import type { Role, Side } from "./sides.ts";
import { tokenOfConnection } from "./sides.ts";

/** One service for all rows of a test file; it ends with the file, and another one may follow in this process. */
let stub: ReturnType<typeof startProviderStub> | undefined;
function providerStub(): ReturnType<typeof startProviderStub> {
  if (!stub) {
    stub = startProviderStub();
    atEndOfFile(async () => {
      stub = undefined;
    });
  }
  return stub;
}

/** When the contacts without tickets were changed last. */
export const CONTACTS_SEEN_AT = "2026-01-01T12:00:00.000Z";

/** Rows of one company, fresh for one call, so that what one call does to them is nothing to the next. */
export type Rows = {
  companyId: CompanyId;
  /** A company that nobody needs. */
  spareCompanyId: CompanyId;
  /** Has an admin. */
  visitedCompanyId: CompanyId;
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
  /** A colleague who has a code for a new password. */
  resetEmail: string;
  resetCode: string;
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
  /** A lane of the board, without cards, and the one in which the ticket stands. */
  laneTagId: TagId;
  cardLaneId: TagId;
  /** `userId` has deleted it, and may undo that. */
  deletedTagId: TagId;
  reasonId: ResolveReasonId;
  macroId: MacroId;
  /** Two roles of the profile `user`, which nobody has. */
  roleId: RoleId;
  otherRoleId: RoleId;
  /** A role for admins, with all that they may do. */
  adminRoleId: RoleId;
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
  /** These two are shown to every company. */
  announcementId: AnnouncementId;
  /** The caller's chat with the colleague, with a message of the caller; and one of the colleague's own. */
  chatId: ChatId;
  chatUuid: string;
  chatMessageId: ChatMessageId;
  othersChatId: ChatId;
  helpId: HelpId;
  brandId: BrandId;
  /** An archive that the caller has asked for. */
  companyExportId: string;
  /** A done erasure with its certificate, and the export of a person by `userId`. */
  erasureId: string;
  personExportId: string;
  apiTokenId: ApiTokenId;
  apiCallId: number;
  /** Nobody listens there; with a delivery of the ticket that failed. */
  webhookId: WebhookId;
  webhookDeliveryId: DeliveryId;
  /** An e-mail to the company, which was not sent. */
  mailId: MailId;
  /** A webhook at which nobody listens, with a delivery of the ticket that failed. */
  integrationId: IntegrationId;
  deliveryId: DeliveryId;
  /** An AI agent that nothing uses, and the address of its service, which answers. */
  promptId: PromptId;
  promptBaseUrl: string;
  knowledgeId: KnowledgeId;
  planId: PlanId;
  /** The open invoice, with a charge that holds. */
  invoiceId: InvoiceId;
  chargeId: ChargeId;
  /** It waits for a person. */
  paymentId: PaymentId;
  /** The secret part of the address for a bank's notifications; one for the installation. */
  notifyKey: string;
  /** A plan that companies have. */
  chosenPlanId: PlanId;
  fileListId: FileListId;
  fileListOptionId: FileListOptionId;
  quickMessageId: QuickMessageId;
  passkeyId: PasskeyId;
  sessionId: SessionId;
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
  /** A voice note that was written down. */
  heardMessageId: MessageId;
  /** A message that the company's AI service can translate. */
  helpedMessageId: MessageId;
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

type Key = keyof Rows;
const FOR_AN_HOUR = sql`now() + interval '1 hour'`;

/** How each row of a side is made, together with the rows that it stands on; asked again, it is the same row. */
type Makers = { readonly [K in Key]: () => Promise<Rows[K]> };

function makersOf(product: TestApp, { company, queueId, people }: Side, role: Role): Makers {
  const { as, given, database, url } = product;
  const mark = `marca-${company.id}-${unique()}`;
  const userId = people[role].id;
  const run = (...statements: SQL[]): Promise<void> =>
    database.db.acrossCompanies(async (tx) => {
      for (const statement of statements) await tx.query(statement);
    });
  /** A row by the statement that inserts or changes it. */
  const made = <Id>(statement: SQL): (() => Promise<Id>) =>
    once(async () => {
      const [row] = await database.db.acrossCompanies((tx) => tx.query<{ id: Id }>(statement));
      if (!row) throw new Error("the row is not there");
      return row.id;
    });

  const plan = (name: string): (() => Promise<PlanId>) =>
    made(sql`
      insert into plans (name, users, connections, queues, value_cents) values (${name}, 500, 500, 500, 9900) returning id`);

  /** A company has one open invoice at most. */
  const invoice = once(async () => {
    await run(sql`
      update invoices set status = 'cancelled' where company_id = ${company.id} and status = 'open'`);
    return made<InvoiceId>(sql`
      insert into invoices (company_id, detail, value_cents, months, due_date, status)
      values (${company.id}, ${mark}, 9900, 1, now() + random() * interval '90 days', 'open') returning id`)();
  });
  const charge = once(async () => {
    const invoiceId = await invoice();
    return made<ChargeId>(sql`
      insert into charges (company_id, invoice_id, bank, txid, value_cents, code, expires_at)
      values (${company.id}, ${invoiceId}, 'simulated', ${`${mark}-${unique()}`}, 9900, ${mark}, ${FOR_AN_HOUR})
      returning id`)();
  });
  const payment = once(async () => {
    const chargeId = await charge();
    return made<PaymentId>(sql`
      insert into payments (company_id, charge_id, bank, transfer_id, value_cents, received_at, state, fault)
      values (${company.id}, ${chargeId}, 'simulated', ${`${mark}-${unique()}`}, 100, now(), 'unclear', 'value')
      returning id`)();
  });

  const notifyKey = once(async () => {
    const secrets = { efi: null, asaas: null, notifyKey: "e5".repeat(24) };
    const sealed = createSeal(database.secrets.seal).close(
      Buffer.from(JSON.stringify(secrets)),
      "billing settings",
    );
    await run(sql`
      insert into billing_settings (id, bank, receiver, city, pix, contact, secrets)
      values (1, 'simulated', '', '', '', '', ${sealed}) on conflict (id) do nothing`);
    return secrets.notifyKey;
  });

  const connection = once(async () => {
    const id = await given.connection({ company });
    const token = tokenOfConnection(id);
    await run(sql`update connections set status = 'CONNECTED', token = ${token} where id = ${id}`);
    return id;
  });
  const pairing = once(async () => {
    const id = await given.connection({ company, linked: false });
    const code = `balcao:${mark}`;
    await run(sql`
      insert into simulator_lines (company_id, connection_id, pairing_code) values (${company.id}, ${id}, ${code})`);
    return { id, code };
  });
  const ticket = once(async () =>
    given.ticket({ company, connectionId: await connection(), queueId, contactName: mark }),
  );
  const customer = once(async () => {
    const { phone } = await ticket();
    await run(sql`
      insert into simulator_customers (company_id, connection_id, phone, name)
      values (${company.id}, ${await connection()}, ${phone}, ${mark})`);
    return phone;
  });
  const message = (wish: { fromMe?: boolean; failedCode?: string }) =>
    once(async () => given.message(await ticket(), { body: mark, queueId, ...wish }));
  const heard = message({});
  const heardMessage = once(async () => {
    const id = await heard();
    await run(sql`
      insert into message_media (company_id, message_id, kind, state, name, mime, transcript)
      values (${company.id}, ${id}, 'voice', 'unavailable', 'audio.ogg', 'audio/ogg', ${mark})`);
    return id;
  });
  /** A message of the company with its place in the queue. */
  const outgoing = (wish: { failedCode?: string }, columns: SQL, values: SQL) => {
    const stored = message({ fromMe: true, ...wish });
    return once(async () => {
      const [id, { phone }] = [await stored(), await ticket()];
      await run(sql`
        insert into outbound (company_id, connection_id, message_id, chat_key, to_kind, to_value, provider_id,
                              body, ${columns})
        select company_id, connection_id, id, ${`pn:${phone}`}, 'pn', ${phone}, provider_id,
               ${JSON.stringify({ kind: "text", text: mark })}, ${values}
          from messages where company_id = ${company.id} and id = ${id}`);
      return id;
    });
  };
  const failed = outgoing(
    { failedCode: "ERR_SENDING_WAPP_MSG" },
    sql`state, error_code`,
    sql`'failed', 'bad-request'`,
  );
  const queued = outgoing({}, sql`state, due_at`, sql`'queued', ${FOR_AN_HOUR}`);
  const waiting = once(async () => {
    const id = await queued();
    await run(sql`
      update messages set ack = 0, undo_until = ${FOR_AN_HOUR} where company_id = ${company.id} and id = ${id}`);
    return id;
  });
  const networkMessage = once(async () => {
    const id = `SIM-${mark}-${unique()}`;
    const phone = await customer();
    await run(sql`
      insert into simulator_messages (company_id, connection_id, phone, id, from_customer, body, ack, delivered)
      values (${company.id}, ${await connection()}, ${phone}, ${id}, true, ${mark}, 2, true)`);
    return id;
  });
  const official = once(async () => {
    const connectionId = await given.connection({ company, linked: false });
    await run(sql`update connections set channel = 'cloud-api' where id = ${connectionId}`);
    await database.db.acrossCompanies((tx) =>
      saveAccount(
        tx,
        createSeal(database.secrets.seal),
        { companyId: company.id, connectionId },
        { ...sampleAccount, webhookKey: newClientId() },
      ),
    );
    return { connectionId, contactName: `${mark} oficial` };
  });
  const officialTicket = once(async () =>
    given.ticket({ company, queueId, ...(await official()) }),
  );
  const accepted = once(async () => {
    const wish = { company, connectionId: await connection(), queueId };
    const { id } = await given.ticket({ ...wish, contactName: `${mark} meu` });
    await as(people[role]).put(`/tickets/${id}`, { status: "open", undoSeconds: 10 });
    const undoId = await made<string>(sql`
      update ticket_undos set until = ${FOR_AN_HOUR} where ticket_id = ${id} returning id`)();
    return { id, undoId };
  });
  const colleague = once(async () => given.agent({ company, name: mark.slice(0, 50) }));

  const forgetful = once(async () => {
    const { id, email } = await given.agent({ company });
    const code = "K7QD2M9X";
    const passwordHash = await made<string>(sql`
      select password_hash as id from users where id = ${id}`)();
    const codeHash = await hashPassword(codeSecret({ email, passwordHash }, code));
    await run(sql`
      insert into password_resets (company_id, user_id, code_hash, expires_at)
      values (${company.id}, ${id}, ${codeHash}, ${FOR_AN_HOUR})`);
    return { email, code };
  });

  const { random } = systemSources;
  const webhook = once(async () => {
    await run(sql`
      delete from webhooks where company_id = ${company.id} and id not in (
        select id from webhooks where company_id = ${company.id} order by id desc limit 10)`);
    const secret = newSecret(
      { random: systemSources.random, seal: createSeal(database.secrets.seal) },
      company.id,
    );
    return made<WebhookId>(sql`
      insert into webhooks (company_id, name, url, events, secret)
      values (${company.id}, ${mark.slice(0, 50)}, 'http://127.0.0.1:1', '["ticket.changed"]', ${secret}) returning id`)();
  });
  const promptBaseUrl = once(async () => (await providerStub()).baseUrl);
  const prompt = once(async () => {
    const purpose = purposeOf({ companyId: company.id });
    const key = createSeal(database.secrets.seal).close(Buffer.from("ok-guarantees"), purpose);
    const text = `${mark} responde sobre trocas, prazos e horários da loja.`;
    return made<PromptId>(sql`
      insert into prompts (company_id, name, prompt, base_url, model, api_key, api_key_end, voice, max_tokens, temperature,
        max_messages, day_tokens, ticket_tokens, queue_id)
      values (${company.id}, ${mark.slice(0, 50)}, ${text}, ${await promptBaseUrl()}, 'gpt-a', ${key}, 'tees', 'texto', 100, 1,
        10, 0, 0, ${queueId}) returning id`)();
  });
  const helpedMessage = once(async () => {
    const key = createSeal(database.secrets.seal).close(
      Buffer.from("ok-guarantees"),
      purposeOf({ companyId: company.id }),
    );
    await run(sql`
      insert into ai_services (company_id, base_url, model, transcription_model, api_key, api_key_end, helps, transcribes,
        day_tokens, day_sounds)
      values (${company.id}, ${await promptBaseUrl()}, 'gpt-a', 'whisper-1', ${key}, 'tees', true, false, 0, 0)
      on conflict (company_id) do update set helps = true, api_key = excluded.api_key, base_url = excluded.base_url`);
    return message({})();
  });
  const integration = once(async () => {
    const secret = newSecret({ random, seal: createSeal(database.secrets.seal) }, company.id);
    return made<IntegrationId>(sql`
      insert into integrations (company_id, type, name, url, secret)
      values (${company.id}, 'webhook', ${mark.slice(0, 50)}, 'http://127.0.0.1:61998', ${secret}) returning id`)();
  });

  const chatOf = (owner: () => Promise<UserId>) =>
    once(async () => {
      const [ownerId, others] = [await owner(), [userId, (await colleague()).id]];
      const uuid = newClientId();
      const id = await made<ChatId>(sql`
        insert into chats (company_id, uuid, title, owner_id, last_message, last_message_at)
        values (${company.id}, ${uuid}, ${mark.slice(0, 60)}, ${ownerId}, ${mark}, now()) returning id`)();
      for (const member of others)
        await run(sql`
          insert into chat_members (company_id, chat_id, user_id) values (${company.id}, ${id}, ${member})`);
      return { id, uuid };
    });
  const chat = chatOf(async () => userId);
  const othersChat = chatOf(async () => (await colleague()).id);
  const chatMessage = once(async () =>
    made<ChatMessageId>(sql`
      insert into chat_messages (company_id, chat_id, sender_id, message)
      values (${company.id}, ${(await chat()).id}, ${userId}, ${mark}) returning id`)(),
  );

  const spareQueue = once(async () => {
    const id = await given.queue({ company });
    const option = await made<QueueOptionId>(sql`
      insert into queue_options (company_id, queue_id, number, title, message)
      values (${company.id}, ${id}, 1, ${mark}, ${mark}) returning id`)();
    const child = await made<QueueOptionId>(sql`
      insert into queue_options (company_id, queue_id, parent_id, number, title)
      values (${company.id}, ${id}, ${option}, 1, ${mark}) returning id`)();
    const draftAt = await made<Date>(sql`
      update queues set draft_changed_at = now() where id = ${id} returning draft_changed_at as id`)();
    return { id, option, child, draftAt: draftAt.toISOString() };
  });
  const tag = once(async () => {
    const id = await made<TagId>(
      sql`insert into tags (company_id, name) values (${company.id}, ${mark}) returning id`,
    )();
    await run(sql`
      insert into ticket_tags (company_id, ticket_id, tag_id) values (${company.id}, ${(await ticket()).id}, ${id})`);
    return id;
  });
  const lane = once(async () => {
    // A board has so many lanes at most.
    await run(sql`
      update tags set kanban = 0
       where company_id = ${company.id} and kanban = 1 and id not in (
         select id from tags where company_id = ${company.id} and kanban = 1 order by id desc limit 40)`);
    return made<TagId>(sql`
      insert into tags (company_id, name, kanban) values (${company.id}, ${`${mark} etapa`}, 1) returning id`)();
  });
  const cardLane = once(async () => {
    const id = await made<TagId>(sql`
      insert into tags (company_id, name, kanban) values (${company.id}, ${`${mark} com cartão`}, 1) returning id`)();
    await run(sql`
      insert into ticket_tags (company_id, ticket_id, tag_id) values (${company.id}, ${(await ticket()).id}, ${id})`);
    return id;
  });
  // A company has so many macros, reasons and views at most; roles that only read keep theirs for many calls of the others.
  const macro = once(async () => {
    await run(sql`
      delete from macros where company_id = ${company.id} and id not in (
        select id from macros where company_id = ${company.id} order by id desc limit 40)`);
    return made<MacroId>(sql`
      insert into macros (company_id, name, tag_id) values (${company.id}, ${mark.slice(0, 50)}, ${await tag()}) returning id`)();
  });
  const ownRole = (name: string, differences: SQL) =>
    once(async () => {
      await run(sql`
        delete from roles where company_id = ${company.id} and id not in (
            select id from roles where company_id = ${company.id} order by id desc limit 40)
          and id not in (select role_id from users where role_id is not null)`);
      return made<RoleId>(sql`
        insert into roles (company_id, name, profile, granted, withheld)
        values (${company.id}, ${`${mark} ${name}`}, ${differences}) returning id`)();
    });
  const ofAgents = sql`'user', '{reports:view}', '{chats:use}'`;
  const reason = once(async () => {
    await run(sql`
      update resolve_reasons set deleted_at = now()
       where company_id = ${company.id} and id not in (
         select id from resolve_reasons where company_id = ${company.id} order by id desc limit 20)`);
    return made<ResolveReasonId>(sql`
      insert into resolve_reasons (company_id, name) values (${company.id}, ${mark}) returning id`)();
  });
  const view = (deletion: SQL) =>
    once(async () => {
      await run(sql`
        delete from ticket_views where company_id = ${company.id} and user_id = ${userId} and id not in (
          select id from ticket_views where user_id = ${userId} order by id desc limit 10)`);
      return made<TicketViewId>(sql`
        insert into ticket_views (company_id, user_id, name, is_shared, filter, deleted_at, deleted_by)
        values (${company.id}, ${userId}, ${mark.slice(0, 40)}, false, ${JSON.stringify(openView)}, ${deletion}) returning id`)();
    });
  const note = (deletion: SQL) =>
    once(async () => {
      const { id, contactId } = await ticket();
      return made<NoteId>(sql`
        insert into ticket_notes (company_id, ticket_id, contact_id, user_id, note, deleted_at, deleted_by)
        values (${company.id}, ${id}, ${contactId}, ${userId}, ${mark}, ${deletion}) returning id`)();
    });
  const isThere = sql`null, null`;
  const isDeleted = sql`${FOR_AN_HOUR}, ${userId}`;

  const contactList = once(async () => {
    const id = await made<ContactListId>(
      sql`insert into contact_lists (company_id, name) values (${company.id}, ${mark}) returning id`,
    )();
    const item = await made<ContactListItemId>(sql`
      insert into contact_list_items (company_id, contact_list_id, name, number)
      values (${company.id}, ${id}, ${mark}, '5511977770001') returning id`)();
    return { id, item };
  });
  const fileList = once(async () => {
    const id = await made<FileListId>(sql`
      insert into file_lists (company_id, name, message) values (${company.id}, ${mark}, ${mark}) returning id`)();
    const option = await made<FileListOptionId>(sql`
      insert into file_list_options (company_id, file_list_id, place, name)
      values (${company.id}, ${id}, 0, ${mark}) returning id`)();
    return { id, option };
  });
  const campaign = (status: string) =>
    once(async () => {
      // A list in use by a campaign that runs cannot be deleted.
      const listId = status === "EM_ANDAMENTO" ? null : (await contactList()).id;
      return made<CampaignId>(sql`
        with made as (
          insert into campaigns (company_id, name, messages, confirmations, status, connection_id, contact_list_id)
          values (${company.id}, ${mark}, '["Oi {nome}"]', '[]', ${status}, ${await connection()}, ${listId})
          returning id
        ), filled as (
          insert into campaign_recipients (company_id, campaign_id, position, name, number, message, status, error_code, is_known, changed_at)
          select ${company.id}, id, 0, ${mark}, '5511977770002', 'Oi', 'failed', 'ERR_SENDING_WAPP_MSG', false, now() from made
        )
        select id from made`)();
    });
  const contactImport = (state: string): (() => Promise<ContactImportId>) =>
    made(sql`
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
  const loneContact = (suffix: string): (() => Promise<ContactId>) =>
    made(sql`
      insert into contacts (company_id, name, number, updated_at)
      values (${company.id}, ${`${mark} ${suffix}`}, ${`55218${10_000_000 + unique()}`}, ${CONTACTS_SEEN_AT}) returning id`);

  return {
    companyId: async () => company.id,
    spareCompanyId: once(async () => (await given.company()).id),
    visitedCompanyId: once(
      async () => (await given.admin({ company: await given.company() })).companyId,
    ),
    queueId: async () => queueId,
    spareQueueId: async () => (await spareQueue()).id,
    draftAt: async () => (await spareQueue()).draftAt,
    queueOptionId: async () => (await spareQueue()).option,
    childOptionId: async () => (await spareQueue()).child,
    userId: async () => userId,
    colleagueId: async () => (await colleague()).id,
    email: async () => people[role].email,
    password: async () => PASSWORD,
    resetEmail: async () => (await forgetful()).email,
    resetCode: async () => (await forgetful()).code,
    connectionId: connection,
    pairingConnectionId: async () => (await pairing()).id,
    pairingCode: async () => (await pairing()).code,
    phone: customer,
    networkMessageId: networkMessage,
    networkFileId: once(async () =>
      sendPicture(
        `${url}/api/simulator/connections/${await connection()}/chats/${await customer()}/messages`,
        people.admin.token,
      ),
    ),
    ticketId: async () => (await ticket()).id,
    ticketUuid: async () => (await ticket()).uuid,
    contactId: async () => (await ticket()).contactId,
    extraInfoId: once(async () =>
      made<number>(sql`
        insert into contact_extra_info (company_id, contact_id, name, value)
        values (${company.id}, ${(await ticket()).contactId}, 'Cidade', ${mark}) returning id`)(),
    ),
    freeContactId: loneContact("sem atendimento"),
    twinContactId: loneContact("repetido"),
    tagId: tag,
    laneTagId: lane,
    cardLaneId: cardLane,
    deletedTagId: made(sql`
      insert into tags (company_id, name, deleted_at, deleted_by)
      values (${company.id}, ${`${mark} excluída`}, ${FOR_AN_HOUR}, ${userId}) returning id`),
    reasonId: reason,
    macroId: macro,
    roleId: ownRole("perfil", ofAgents),
    otherRoleId: ownRole("outro perfil", ofAgents),
    adminRoleId: ownRole("perfil de admin", sql`'admin', '{}', '{}'`),
    ticketViewId: view(isThere),
    deletedViewId: view(isDeleted),
    acceptedTicketId: async () => (await accepted()).id,
    undoId: async () => (await accepted()).undoId,
    noteId: note(isThere),
    deletedNoteId: note(isDeleted),
    campaignId: campaign("INATIVA"),
    runningCampaignId: campaign("EM_ANDAMENTO"),
    cancelledCampaignId: campaign("CANCELADA"),
    chatId: async () => (await chat()).id,
    chatUuid: async () => (await chat()).uuid,
    chatMessageId: chatMessage,
    othersChatId: async () => (await othersChat()).id,
    announcementId: made(sql`
      insert into announcements (provider_id, title, text, priority, status, published_at)
      values (${company.id}, ${mark}, ${mark}, 1, true, now()) returning id`),
    helpId: made(sql`
      insert into helps (title, description, video) values (${mark}, ${mark}, 'aqz-KE-bpKQ') returning id`),
    brandId: made(sql`
      insert into brands (host, name) values (${`${mark}.rows.example`}, ${mark}) returning id`),
    // A company has so many at most.
    apiTokenId: once(async () => {
      await run(sql`
        delete from api_tokens where company_id = ${company.id} and user_id is null and id not in (
          select id from api_tokens where company_id = ${company.id} order by id desc limit 20)`);
      return made<ApiTokenId>(sql`
        insert into api_tokens (company_id, name, hash, "end", scopes)
        values (${company.id}, ${mark.slice(0, 50)}, ${mark}, 'fim', '["tags:read"]') returning id`)();
    }),
    apiCallId: made(sql`
      insert into api_calls (company_id, token_name, call, status, took_ms, request_id)
      values (${company.id}, ${mark}, 'GET /v1/tags', 200, 3, ${mark}) returning id::int`),
    integrationId: integration,
    promptId: prompt,
    promptBaseUrl,
    knowledgeId: made<KnowledgeId>(sql`
      with item as (
        insert into knowledge_items (company_id, kind, title, text)
        values (${company.id}, 'article', ${mark}, ${mark}) returning company_id, id)
      insert into knowledge_parts (company_id, item_id, position, text, words)
      select company_id, id, 0, ${mark}, f_words(${mark}) from item returning item_id as id`),
    webhookId: webhook,
    webhookDeliveryId: once(async () => {
      const [id, { id: ticketId }] = [await webhook(), await ticket()];
      return made<DeliveryId>(sql`
        insert into deliveries (company_id, webhook_id, ticket_id, event_id, kind, body, state, tries, due_at, answer)
        values (${company.id}, ${id}, ${ticketId}, gen_random_uuid(), 'ticket.changed', ${mark}, 'failed', 1, now(), ${mark})
        returning id`)();
    }),
    deliveryId: once(async () => {
      const [id, { id: ticketId }] = [await integration(), await ticket()];
      return made<DeliveryId>(sql`
        insert into deliveries (company_id, integration_id, ticket_id, event_id, kind, body, state, tries, due_at, answer)
        values (${company.id}, ${id}, ${ticketId}, ${newClientId()}, 'test', ${mark}, 'failed', 1, now(), ${mark})
        returning id`)();
    }),
    companyExportId: once(async () => {
      const key = `${newClientId()}.tar`;
      const folder = join(product.dataDir, "company-archives", `company${company.id}`);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, key), mark);
      return made<string>(sql`
        insert into company_archives (id, company_id, kind, state, requester_id, requester_name, store_key, ended_at)
        values (${newClientId()}, ${company.id}, 'export', 'done', ${userId}, ${mark}, ${key}, now()) returning id`)();
    }),
    erasureId: made(sql`
      insert into erasures (id, company_id, state, requester_id, requester_name, salt, hashes, listed_at, ended_at)
      values (${newClientId()}, ${company.id}, 'done', ${userId}, ${mark}, 'salt', '{}', now(), now()) returning id`),
    personExportId: once(async () => {
      const key = `${newClientId()}.zip`;
      const folder = join(product.dataDir, "company-archives", `company${company.id}`);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, key), mark);
      return made<string>(sql`
        insert into person_exports (id, company_id, contact_id, state, language, requester_id, requester_name, store_key, ended_at)
        values (${newClientId()}, ${company.id}, ${(await ticket()).contactId}, 'done', 'pt', ${userId}, ${mark}, ${key}, now())
        returning id`)();
    }),
    mailId: made(sql`
      insert into mails (company_id, kind, name, address, subject, text, html, state, due_at)
      values (${company.id}, 'test', ${mark}, 'a@loja.example', ${mark}, ${mark}, ${mark}, 'failed', now()) returning id`),
    planId: plan(`Plano ${mark}`),
    invoiceId: invoice,
    chargeId: charge,
    paymentId: payment,
    notifyKey,
    chosenPlanId: plan(`Plano escolhido ${mark}`),
    fileListId: async () => (await fileList()).id,
    fileListOptionId: async () => (await fileList()).option,
    passkeyId: made(sql`
      insert into passkeys (company_id, user_id, credential_id, public_bytes, counter, transports, host, name)
      values (${company.id}, ${userId}, ${newClientId()}, '', 0, '{}', 'localhost', ${mark}) returning id`),
    sessionId: made(sql`
      insert into sessions (id, company_id, user_id, device, address, method, used_at)
      values (${newClientId()}, ${company.id}, ${userId}, ${mark}, ${mark}, 'password', now()) returning id`),
    quickMessageId: made(sql`
      insert into quick_messages (company_id, user_id, shortcode, message)
      values (${company.id}, ${userId}, ${mark}, ${mark}) returning id`),
    contactListId: async () => (await contactList()).id,
    contactListItemId: async () => (await contactList()).item,
    contactImportId: contactImport("draft"),
    waitingImportId: contactImport("waiting"),
    pausedImportId: contactImport("paused"),
    scheduleId: once(async () => {
      const { id, contactId } = await ticket();
      return made<ScheduleId>(sql`
        insert into schedules (company_id, contact_id, ticket_id, user_id, body, send_at, due_at)
        values (${company.id}, ${contactId}, ${id}, ${userId}, ${mark},
                '2090-01-01T12:00:00Z', '2090-01-01T12:00:00Z') returning id`)();
    }),
    messageId: message({}),
    sentMessageId: message({ fromMe: true }),
    heardMessageId: heardMessage,
    helpedMessageId: helpedMessage,
    waitingMessageId: waiting,
    failedMessageId: failed,
    officialConnectionId: async () => (await official()).connectionId,
    officialTicketId: async () => (await officialTicket()).id,
    mark: async () => mark,
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= make());
}

/** All rows of a side; `userId` is the account's that the calls name. */
export function createRows(product: TestApp, side: Side, role: Role = "user"): Promise<Rows> {
  const makers = makersOf(product, side, role);
  return takeRows(makers, Object.keys(makers) as Key[]);
}

/** Makes the named rows; reading another one is a mistake of the test. */
async function takeRows(makers: Makers, keys: readonly Key[]): Promise<Rows> {
  const rows: Partial<Record<Key, unknown>> = {};
  for (const key of keys) rows[key] = await makers[key]();
  return new Proxy(rows as Rows, {
    get(target, key) {
      // `await` reads `then`.
      const isRow = typeof key === "string" && key !== "then";
      if (isRow && !(key in target)) throw new Error(`no row was made for ${key}`);
      return Reflect.get(target, key);
    },
  });
}

/**
 * Rows of a side that no call has changed yet. Making all of them takes longer than most calls, so only those are made
 * that a call uses, and each role keeps its rows until one of its calls wrote: `after` is told what was written. `sample`
 * has all rows, and shows which ones `use` reads.
 */
export function createUnusedRows(product: TestApp, side: Side, sample: Rows) {
  const unused = new Map<Role, Makers>();
  return {
    of(role: Role, use: (rows: Rows) => unknown): Promise<Rows> {
      const makers = unused.get(role) ?? makersOf(product, side, role);
      unused.set(role, makers);
      return takeRows(makers, keysReadBy(use, sample));
    },
    after: (role: Role, written: readonly unknown[]): void => {
      if (written.length > 0) unused.delete(role);
    },
    /** New ones beside a ticket with messages and its contact: the first rows of each list. */
    newest: (role: Role, use: (rows: Rows) => unknown): Promise<Rows> => {
      const keys = new Set<Key>([...inLists, ...keysReadBy(use, sample)]);
      return takeRows(makersOf(product, side, role), [...keys]);
    },
  };
}

const inLists = ["ticketId", "acceptedTicketId", "messageId", "scheduleId", "mark"] as const;

function keysReadBy(use: (rows: Rows) => unknown, sample: Rows): Key[] {
  const keys = new Set<Key>();
  use(
    new Proxy(sample, {
      get(target, key) {
        keys.add(key as Key); // no other key is typed
        return Reflect.get(target, key);
      },
    }),
  );
  return [...keys];
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
