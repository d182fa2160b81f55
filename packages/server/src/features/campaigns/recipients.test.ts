import type { CampaignTemplate, ContactListId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { systemCtx } from "../../platform/context.ts";
import { requireRow } from "../../platform/db/records.ts";
import { campaigns } from "../../platform/db/schema/index.ts";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenCompany } from "../../testing/given.ts";
import { countRecipients, prepareRecipients } from "./recipients.ts";
import { formatOf, renderText, unknownVariables } from "./texts.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
});

const run = <Row>(statement: ReturnType<typeof sql>): Promise<Row[]> =>
  app.database.db.acrossCompanies((tx) => tx.query<Row>(statement));
const now = new Date("2026-11-20T12:00:00Z");

type Person = { name: string; number: string; isValid?: boolean | null; daysAgo?: number };

async function list(company: GivenCompany, people: readonly Person[]): Promise<ContactListId> {
  const [made] = await run<{ id: ContactListId }>(
    sql`insert into contact_lists (company_id, name) values (${company.id}, 'List') returning id`,
  );
  const { id } = requireRow(made ? [made] : []);
  for (const { name, number, isValid = null, daysAgo } of people) {
    const checkedAt =
      daysAgo === undefined ? null : new Date(now.getTime() - daysAgo * 86_400_000).toISOString();
    await run(sql`insert into contact_list_items (company_id, contact_list_id, name, number, email, is_valid, checked_at)
      values (${company.id}, ${id}, ${name}, ${number}, ${`${name}@x`}, ${isValid}, ${checkedAt})`);
  }
  return id;
}

type Wish = Partial<typeof campaigns.$inferInsert>;
async function prepared(company: GivenCompany, wish: Wish, again?: () => Promise<void>) {
  const ctx = systemCtx(company.id, "test", "test");
  const { db } = app.database;
  const settings = { variables: [{ key: "loja", value: "{nome} 100%" }] };
  const campaign = await db.transaction(ctx, async (tx) => {
    const values = { companyId: company.id, name: "C", messages: ["Oi {nome}"], confirmations: [] };
    return requireRow(
      await tx.orm
        .insert(campaigns)
        .values({ ...values, ...wish })
        .returning(),
    );
  });
  const prepare = () =>
    db.transaction(ctx, (tx) => prepareRecipients(ctx, tx, campaign, settings, now));
  let left = await prepare();
  if (again) {
    await again();
    left = await prepare();
  }
  type Row = {
    name: string;
    position: number;
    message: string;
    status: string;
    isKnown: boolean;
  } & {
    confirmation: string | null;
    isChecked: boolean;
    contactId: number | null;
  };
  const rows = await run<Row>(sql`
    select name, position, message, status, is_known as "isKnown", confirmation_message as confirmation,
      checked_at is not null as "isChecked", contact_id as "contactId"
    from campaign_recipients where campaign_id = ${campaign.id} order by position`);
  const counts = await db.transaction(ctx, (tx) => countRecipients(tx, ctx, campaign.id));
  return { campaign, left, rows, counts };
}

async function contact(company: GivenCompany, number: string, isOut = false): Promise<number> {
  const [row] = await run<{ id: number }>(sql`
    with made as (
      insert into contacts (company_id, name, number, opted_out_at, opt_out_source)
      values (${company.id}, ${number}, ${number}, ${isOut ? now.toISOString() : null}, ${isOut ? "reply" : null}) returning *),
    linked as (
      insert into contact_addresses (company_id, kind, key, value, contact_id)
      select company_id, 'pn', number, number, id from made)
    select id from made`);
  return requireRow(row ? [row] : []).id;
}

test("people of a list in the order of their names, with texts in turn and each variable once", async () => {
  const company = await app.given.company();
  const contactListId = await list(company, [
    { name: "Carla", number: "5511955000003", isValid: true, daysAgo: 2 },
    { name: "ana {numero}", number: "5511955000001" },
    { name: "Bia", number: "5511955000002", isValid: true, daysAgo: 31 },
    { name: "Zoe", number: "5511955000004", isValid: false, daysAgo: 3 },
    { name: "Yan", number: "5511955000005", isValid: false, daysAgo: 40 },
  ]);
  const { rows, left, counts } = await prepared(company, {
    contactListId,
    messages: ["Oi {nome}, {loja} %s", "", "{numero} {email} {nada} {nome}"],
    confirmation: true,
    confirmations: ["Quer, {nome}?"],
  });
  expect(rows.map(({ message }) => message)).toEqual([
    "Oi ana {numero}, {nome} 100% %s",
    "5511955000002 Bia@x {nada} Bia",
    "Oi Carla, {nome} 100% %s",
    "5511955000005 Yan@x {nada} Yan",
  ]);
  expect(rows.map(({ position }) => position)).toEqual([0, 1, 2, 3]);
  expect(rows.map(({ isChecked }) => isChecked)).toEqual([false, false, true, false]);
  expect(rows[1]?.confirmation).toBe("Quer, Bia?");
  expect(left).toBe(4);
  expect(counts).toMatchObject({ people: 4, valid: 4, waiting: 4, delivered: 0 });
});

test("who opted out and second numbers of a contact are left out, and who wrote before is known", async () => {
  const company = await app.given.company();
  const out = "5511955000011";
  const known = "5511955000012";
  await contact(company, out, true);
  const id = await contact(company, known);
  await run(sql`insert into contact_addresses (company_id, kind, key, value, contact_id)
    values (${company.id}, 'pn', '5511955000013', '5511955000013', ${id})`);
  await run(sql`insert into tickets (company_id, uuid, contact_id, status, last_customer_message_at)
    values (${company.id}, gen_random_uuid(), ${id}, 'closed', now())`);
  const contactListId = await list(company, [
    { name: "Out", number: out },
    { name: "Known", number: known },
    { name: "Last", number: "5511955000013" },
    { name: "New", number: "5511955000014" },
  ]);
  const { rows } = await prepared(company, { contactListId });
  expect(rows.map(({ name, isKnown, contactId }) => ({ name, isKnown, contactId }))).toEqual([
    { name: "Known", isKnown: true, contactId: id },
    { name: "New", isKnown: false, contactId: null },
  ]);
});

test("preparing again adds who is new, renders the others again and lets those go who left the list", async () => {
  const company = await app.given.company();
  const contactListId = await list(company, [
    { name: "Ana", number: "5511955000021" },
    { name: "Bia", number: "5511955000022" },
    { name: "Caio", number: "5511955000023" },
  ]);
  const { rows, left } = await prepared(company, { contactListId }, async () => {
    const ofList = sql`contact_list_id = ${contactListId}`;
    await run(sql`delete from contact_list_items where ${ofList} and name = 'Bia'`);
    await run(sql`update contact_list_items set name = 'Anna' where ${ofList} and name = 'Ana'`);
    await run(
      sql`update campaign_recipients set status = 'delivered' where campaign_id = (select max(id) from campaigns) and name = 'Caio'`,
    );
    await run(sql`insert into contact_list_items (company_id, contact_list_id, name, number)
      values (${company.id}, ${contactListId}, 'Aaron', '5511955000024')`);
  });
  expect(rows.map(({ message, status }) => [message, status])).toEqual([
    ["Oi Anna", "waiting"],
    ["Oi Bia", "removed"],
    ["Oi Caio", "delivered"],
    ["Oi Aaron", "waiting"],
  ]);
  expect(left).toBe(2);
});

test("a template becomes JSON with the parameters of the person", async () => {
  const company = await app.given.company();
  const contactListId = await list(company, [{ name: 'A "q" \\ {nome}', number: "5511955000031" }]);
  const template: CampaignTemplate = {
    ...{ name: "promo_50%", language: "pt_BR" },
    ...{ headerParameters: [], bodyParameters: ["{nome}", "100% {loja}"], buttonParameters: [] },
  };
  const { rows } = await prepared(company, { contactListId, template });
  expect(JSON.parse(rows[0]?.message ?? "")).toEqual({
    ...template,
    bodyParameters: ['A "q" \\ {nome}', "100% {nome} 100%"],
  });
});

test("a list without anybody leaves nothing to do, and unknown variables are found", async () => {
  const company = await app.given.company();
  const { left, rows } = await prepared(company, { contactListId: await list(company, []) });
  expect([left, rows]).toEqual([0, []]);

  expect(
    unknownVariables(["{nome} {cupon} {a b}", "{cupon}{x}"], [{ key: "x", value: "" }]),
  ).toEqual(["cupon"]);
  expect(formatOf("{nome} 5% {x}{y}", [{ key: "x", value: "%1$s" }])).toBe("%1$s 5%% %%1$s{y}");
  const person = { name: "$& {x}", number: "1", email: "" };
  expect(renderText("{nome} {x}{y}", [{ key: "x", value: "{nome}" }], person)).toBe(
    "$& {x} {nome}{y}",
  );
});
