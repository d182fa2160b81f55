import type { CampaignId, CampaignStatus, ContactListId, RecipientStatus } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, vi } from "vitest";
import type { TestApp } from "../../../testing/app.ts";
import { unique } from "../../../testing/given.ts";
import type { Line } from "../../schedules/testing/line.ts";
import { patience } from "../../schedules/testing/line.ts";

/** Someone on the list of a campaign. */
export type Member = { name: string; phone: string };

export const newMember = (name = "Bia Cliente"): Member => ({
  name,
  phone: `55119${String(80_000_000 + unique())}`,
});
export const newMembers = (count: number): Member[] =>
  Array.from({ length: count }, (_, place) =>
    newMember(`Pessoa ${String(place).padStart(4, "0")}`),
  );

const query = <Row>(app: TestApp, statement: ReturnType<typeof sql>): Promise<Row[]> =>
  app.database.db.acrossCompanies((tx) => tx.query<Row>(statement));

/** Settings of a company's campaigns that let a test be quick. */
export async function setSettings(
  app: TestApp,
  { company }: Pick<Line, "company">,
  settings: object,
): Promise<void> {
  for (const [key, value] of Object.entries(settings)) {
    await query(
      app,
      sql`insert into campaign_settings (company_id, key, value) values (${company.id}, ${key}, ${JSON.stringify(value)})
        on conflict (company_id, key) do update set value = excluded.value`,
    );
  }
}

/** A line whose connection does nothing by itself: the test takes the steps and says what the network answers. */
export async function offlineLine(app: TestApp): Promise<Line> {
  const company = await app.given.company();
  const admin = await app.given.admin({ company });
  const agent = await app.given.agent({ company, name: "Ana" });
  const connectionId = await app.given.connection({ company, linked: false });
  await query(app, sql`update connections set status = 'CONNECTED' where id = ${connectionId}`);
  const line = { company, admin, agent, connectionId };
  await setSettings(app, line, { messageInterval: 0, greaterInterval: 0 });
  return line;
}

/** What the network answers to the message that is with the connection, and the steps that follow a little later. */
export async function answer(
  app: TestApp,
  line: Line,
  outcome: { ack?: number; failedCode?: string },
): Promise<void> {
  const { ack = 0, failedCode = null } = outcome;
  await query(
    app,
    sql`update messages set ack = ${ack}, failed_code = ${failedCode}
      where id = (select r.message_id from campaign_recipients r where r.company_id = ${line.company.id} and r.status = 'sending')`,
  );
  await goOn(app, 20_000);
}
/** Time goes on, and what is due then is done. */
export async function goOn(app: TestApp, ms = 2_000): Promise<void> {
  app.clock.advance(ms);
  await app.app.runDueCampaigns();
  app.clock.advance(2_000);
  await app.app.runDueCampaigns();
}

export type CampaignWish = {
  members: readonly Member[];
  messages?: readonly string[];
  confirmations?: readonly string[];
  isChecked?: boolean;
  scheduledAt?: Date;
  answerQueueId?: number;
  answerTagId?: number;
  fileListId?: number;
  template?: object;
  textInWindow?: boolean;
};

/** A planned campaign on the line; due unless a time is given. Its numbers count as looked up unless `isChecked` is false. */
export async function planned(
  app: TestApp,
  line: Pick<Line, "company" | "connectionId">,
  wish: CampaignWish,
): Promise<CampaignId> {
  const { company, connectionId } = line;
  const { members, messages = ["Oi {nome}"], confirmations = [], isChecked = true } = wish;
  const now = app.clock.now();
  const [list] = await query<{ id: ContactListId }>(
    app,
    sql`insert into contact_lists (company_id, name) values (${company.id}, ${`Lista ${unique()}`}) returning id`,
  );
  const names = members.map(({ name }) => name);
  const numbers = members.map(({ phone }) => phone);
  await query(
    app,
    sql`insert into contact_list_items (company_id, contact_list_id, name, number, email, is_valid, checked_at)
      select ${company.id}, ${list?.id}, name, number, '', ${isChecked ? true : null}, ${isChecked ? now.toISOString() : null}
      from json_to_recordset(${JSON.stringify(names.map((name, place) => ({ name, number: numbers[place] })))}::json)
        as m(name text, number text)`,
  );
  const [made] = await query<{ id: CampaignId }>(
    app,
    sql`insert into campaigns (company_id, name, messages, confirmations, confirmation, status, scheduled_at, connection_id,
        contact_list_id, answer_queue_id, answer_tag_id, file_list_id, template, text_in_window)
      values (${company.id}, 'Oferta', ${JSON.stringify(messages)}::jsonb, ${JSON.stringify(confirmations)}::jsonb,
        ${confirmations.length > 0}, 'PROGRAMADA', ${(wish.scheduledAt ?? now).toISOString()}, ${connectionId}, ${list?.id},
        ${wish.answerQueueId ?? null}, ${wish.answerTagId ?? null}, ${wish.fileListId ?? null},
        ${wish.template ? JSON.stringify(wish.template) : null}::jsonb, ${wish.textInWindow ?? false})
      returning id`,
  );
  if (!made) throw new Error("the campaign was not stored");
  return made.id;
}

export type StoredRecipient = {
  id: number;
  name: string;
  number: string;
  status: RecipientStatus;
  attempts: number;
  errorCode: string | null;
  messageId: string | null;
  isKnown: boolean;
  sentAt: Date | null;
  confirmedAt: Date | null;
  answeredAt: Date | null;
  leftAt: Date | null;
};

export const recipients = (app: TestApp, id: CampaignId): Promise<StoredRecipient[]> =>
  query<StoredRecipient>(
    app,
    sql`select id, name, number, status, attempts, error_code as "errorCode", message_id as "messageId", is_known as "isKnown",
        sent_at as "sentAt", confirmed_at as "confirmedAt", answered_at as "answeredAt", left_at as "leftAt"
      from campaign_recipients where campaign_id = ${id} order by position`,
  );

export async function statusOf(app: TestApp, id: CampaignId): Promise<CampaignStatus | undefined> {
  const [row] = await query<{ status: CampaignStatus }>(
    app,
    sql`select status from campaigns where id = ${id}`,
  );
  return row?.status;
}

export const untilCampaign = (app: TestApp, id: CampaignId, status: CampaignStatus) =>
  vi.waitFor(async () => expect(await statusOf(app, id)).toBe(status), patience);

/** How many people stand where. */
export async function tally(app: TestApp, id: CampaignId): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of await recipients(app, id)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

export { query };
