import type { BillingSystem, SettingKey } from "@balcao/contract";
import { billingKeys } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { pino } from "pino";
import { beforeEach, expect, test, vi } from "vitest";
import type { BodyOf } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import { createDesk, quickAttendant } from "../attendant/testing/desk.ts";
import { lookupTexts } from "./answers.ts";
import { defaultLookupSettings } from "./index.ts";
import {
  asaasKey,
  ixcToken,
  mkAuthKeys,
  mkTitle,
  startAsaas,
  startIxc,
  startMkAuth,
} from "./testing/stubs.ts";

const CPF = "52998224725";
const WRITTEN = "529.982.247-25";
const OTHER = "111.444.777-35";
const PAUSE_MS = 20;

const logged: string[] = [];
const [mk, asaas, ixc] = await Promise.all([startMkAuth(), startAsaas(), startIxc()]);
const app = await testApp({
  outsideHosts: ["127.0.0.1:*"],
  attendantSettings: {
    ...quickAttendant,
    askLimitMs: 30_000,
    // Two numbers are one burst.
    quiet: { firstMs: 60, answerMs: 300, longestMs: 1_500 },
  },
  billingLookupSettings: { asaasUrl: asaas.url, pauseMs: PAUSE_MS },
  log: pino({ level: "info" }, { write: (line) => void logged.push(line) }),
});
const BILLS = "2 VIA DE BOLETO ";
const TRUST = "Religue de confianca";
const desk = await createDesk(app, {
  greeting: "Bem-vindo!",
  maxMenus: 0,
  queues: [{ name: BILLS, greeting: "Qual é o CPF?" }, { name: TRUST }, { name: "Suporte" }],
});
await desk.online();
await desk.rows(
  sql`update connections set complation_message = 'Até logo' where id = ${desk.connectionId}`,
);
const MENU = `Bem-vindo!\n\n*[ 1 ]* - ${BILLS}\n*[ 2 ]* - ${TRUST}\n*[ 3 ]* - Suporte`;

const access: Record<BillingSystem, Partial<Record<SettingKey, string>>> = {
  "mk-auth": { ipmkauth: `${mk.url}/`, ...mkAuthKeys },
  asaas: { asaas: asaasKey },
  ixc: { ipixc: ixc.url, tokenixc: ixcToken },
};
/** The company has these systems and no others. */
async function has(...systems: BillingSystem[]): Promise<void> {
  const set = Object.assign({}, ...systems.map((system) => access[system])) as Record<
    string,
    string
  >;
  for (const key of Object.values(billingKeys).flat()) {
    const reply = await app.as(desk.admin).put(`/settings/${key}`, { value: set[key] ?? "" });
    expect(reply.status).toBe(200);
  }
}

async function planHas(useIntegrations: boolean): Promise<void> {
  const plan = sql`
    update plans set use_integrations = ${useIntegrations}
    where id = (select plan_id from companies where id = ${desk.company.id})`;
  await app.database.db.acrossCompanies((tx) => tx.query(plan));
}

/** A new customer, who may have chosen from the menu. */
async function customer(choice?: string) {
  const phone = desk.newPhone();
  let heard = 0;
  const ticket = () => desk.ticketOf(phone);
  const news = async (): Promise<string[]> => {
    const all = await desk.answers((await ticket()).id);
    const fresh = all.slice(heard);
    heard = all.length;
    return fresh;
  };
  /** Writes, and answers what comes back. */
  const says = async (...texts: string[]): Promise<string[]> => {
    for (const text of texts) await desk.write(phone, text);
    await app.idle();
    return news();
  };
  expect(await says("Oi")).toEqual([MENU]);
  if (choice !== undefined) await says(choice);
  return { ...{ phone, ticket, news, says }, id: (await ticket()).id };
}

beforeEach(() => {
  for (const { asked, system } of [mk, asaas, ixc]) {
    asked.length = 0;
    system.fails = undefined;
  }
  mk.customers.clear();
  Object.assign(asaas.data, { customers: new Map(), payments: [] });
  ixc.tables.cliente = [];
});

test("7.9: the queue asks for the number, the bill follows in texts of its own, and the ticket is closed", async () => {
  await has("mk-auth");
  mk.customers.set(CPF, mkTitle({ qrcode: "00020126PIX", linhadig: "0339 9" }));
  const { says, ticket, id } = await customer();
  expect(await says("1")).toEqual(["Qual é o CPF?"]);
  expect(await ticket()).toMatchObject({ status: "pending", chatbot: true, useIntegration: true });
  expect(await says(WRITTEN)).toEqual([
    lookupTexts.wait,
    "Localizei seu cadastro!\n*Ana Souza*, só mais um instante, por favor!",
    "Segue a segunda via da sua fatura!\n\n*Nome:* Ana Souza\n*Valor:* R$ 99,90\n*Vencimento:* 20/11/2026\n" +
      `*Descrição:* Internet 500 Mb\n*Link:* ${mk.url}/boleto/21boleto.php?titulo=4711`,
    ...["Este é o *código de barras* para pagar:", "0339 9"],
    ...["Este é o *PIX copia e cola*:", "00020126PIX", "pix.png"],
    lookupTexts.over,
  ]);
  expect(await ticket()).toMatchObject({ status: "closed", useIntegration: false });
  const [pictures] = await desk.rows(sql`
    select a.kind, a.mime, a.width from messages m join message_media a on a.message_id = m.id where m.ticket_id = ${id}`);
  expect(pictures).toEqual({ kind: "image", mime: "image/png", width: expect.any(Number) });
  const due = await desk.rows<{ ms: number }>(sql`
    select round(extract(epoch from o.due_at - m.created_at) * 1000)::int as ms
    from messages m join outbound o on o.message_id = m.id where m.ticket_id = ${id} and m.body <> 'Qual é o CPF?'
    order by m.created_at, m.seq offset 2`);
  // Each waits for the one before as well.
  expect(due).toHaveLength(8);
  expect(due.every(({ ms }, index) => ms >= (index + 1) * PAUSE_MS)).toBe(true);
  expect(defaultLookupSettings.pauseMs).toBe(2_000);
});

test("7.9: a number that is none is refused; # leads to the menu, where another queue is chosen", async () => {
  await has("asaas");
  const { says, ticket } = await customer("1");
  for (const text of ["529.982.247-24", "Ana Souza"]) {
    expect(await says(text)).toEqual([lookupTexts.invalid]);
  }
  expect(await says(WRITTEN)).toEqual([lookupTexts.wait, lookupTexts.notFound]);
  expect(await says("*#*")).toEqual([MENU]);
  expect(await ticket()).toMatchObject({ queueId: null, useIntegration: false });
  await says("3");
  expect(await ticket()).toMatchObject({ status: "pending", queueId: desk.queueIds[2] });
  expect(asaas.calls()).toEqual([`GET /v3/customers?cpfCnpj=${CPF}`]);
});

test("7.9: all systems are asked; a bill that is found is sent though another fails, and the error only where none is", async () => {
  await has("mk-auth", "asaas", "ixc");
  const { says, ticket } = await customer("1");
  mk.system.fails = { status: 500 };
  ixc.system.fails = { body: "<html>Entrar</html>" };
  expect(await says(WRITTEN)).toEqual([lookupTexts.wait, lookupTexts.error]);
  expect(await ticket()).toMatchObject({ status: "pending", useIntegration: true });
  asaas.data.customers.set(CPF, [{ id: "cus_1", name: "Ana Souza" }]);
  const payment = { id: "p1", customer: "cus_1", status: "PENDING", dueDate: "2026-12-20" };
  asaas.data.payments = [{ ...payment, value: 1234.5, invoiceNumber: "88", invoiceUrl: "" }];
  // The last number of a burst counts; on a slow machine the first one may have been answered before.
  expect((await says(OTHER, WRITTEN)).slice(-3)).toEqual([
    "Localizei seu cadastro!\n*Ana Souza*, só mais um instante, por favor!",
    "Segue a segunda via da sua fatura!\n\n*Fatura:* 88\n*Nome:* Ana Souza\n*Valor:* R$ 1.234,50\n*Vencimento:* 20/12/2026",
    lookupTexts.over,
  ]);
  expect(logged.join("\n")).toContain("a billing system failed");
  expect(logged.join("\n")).not.toMatch(/52998224725|529\.982|segredo/);
});

test("7.9: a connection is unblocked once, whatever is asked again", async () => {
  await has("mk-auth");
  mk.customers.set(CPF, mkTitle({ bloqueado: "sim", status: "pago" }));
  mk.acts.unblock = () => mk.json({}, 500);
  const { says, id, news, ticket } = await customer("1");
  const unclear = expect.stringMatching(/^Não foi possível confirmar a liberação do seu acesso!/);
  expect((await says(WRITTEN)).at(-1)).toEqual(unclear);
  const unblockings = () => mk.calls().filter((call) => call.endsWith("/desbloqueio/uuid-1"));
  expect(unblockings()).toHaveLength(1);

  /** The process of the first question has crashed, before or after it knew what the system said. */
  async function askedAgainWith(outcome: object): Promise<string[]> {
    await desk.rows(sql`
      update billing_lookups set unblocks = ${JSON.stringify({ "mk-auth": outcome })}::jsonb where ticket_id = ${id}`);
    await desk.rows(sql`
      update attendant_turns k set due_at = now(), waiting_since = now() - interval '1 hour', handled_seq = m.seq - 1
      from messages m where k.ticket_id = ${id} and m.ticket_id = ${id} and m.body = ${WRITTEN}`);
    await app.app.runDueTurns();
    await app.idle();
    return news();
  }
  const repeated = await askedAgainWith({ until: 0 });
  expect(repeated).toEqual([expect.stringMatching(/^Localizei/), unclear]);
  mk.customers.set(CPF, mkTitle({ status: "pago" }));
  expect((await askedAgainWith({ isDone: true, isOnline: null })).slice(1)).toEqual([
    expect.stringMatching(/^Pronto, seu acesso foi liberado!/),
    lookupTexts.over,
  ]);
  expect(unblockings()).toHaveLength(1);
  expect((await ticket()).status).toBe("closed");
});

test("7.9: the other two names unblock on trust, in IXC alone", async () => {
  await has("asaas");
  const plain = await customer("2");
  expect(await plain.ticket()).toMatchObject({ queueId: desk.queueIds[1], useIntegration: false });

  await has("mk-auth", "ixc");
  ixc.tables.cliente = [{ id: "7", razao: "Ana Souza", cnpj_cpf: WRITTEN }];
  ixc.tables.cliente_contrato = [{ id: "2", id_cliente: "7", status: "A", status_internet: "A" }];
  const { says, ticket } = await customer();
  expect(await says("2")).toEqual([lookupTexts.ask]);
  expect((await says(WRITTEN)).at(-1)).toMatch(/^Sua conexão não está bloqueada!/);
  ixc.tables.cliente_contrato[0]!["status_internet"] = "CA";
  ixc.acts.desbloqueio_confianca = () => ({ tipo: "erro", mensagem: "Limite atingido" });
  expect((await says(WRITTEN)).at(-1)).toContain("\nLimite atingido\n");
  expect((await ticket()).status).toBe("pending");
  ixc.acts.desbloqueio_confianca = () => ({ tipo: "sucesso", mensagem: "Liberado" });
  expect((await says(WRITTEN)).slice(-2)).toEqual([
    expect.stringMatching(/^Pronto, seu acesso foi liberado!/),
    lookupTexts.over,
  ]);
  expect((await ticket()).status).toBe("closed");
  expect(mk.calls()).toEqual([]);
});

test("five numbers an hour are looked up, then the ticket waits for a person", async () => {
  await has("asaas");
  const { says, ticket } = await customer("1");
  for (let nth = 1; nth <= 5; nth += 1) {
    expect(await says(WRITTEN)).toEqual([lookupTexts.wait, lookupTexts.notFound]);
  }
  expect(await says(WRITTEN)).toEqual([lookupTexts.error]);
  expect(asaas.calls()).toHaveLength(5);
  const waits = { status: "pending", queueId: desk.queueIds[0], chatbot: false };
  expect(await ticket()).toMatchObject({ ...waits, useIntegration: false });
  expect(await says(WRITTEN)).toEqual([]);
});

test("nobody is looked up once an agent has acted, nor without the plan or the whole access data", async () => {
  await has("asaas");
  const { says, id } = await customer("1");
  expect((await app.as(desk.agent).put(`/tickets/${id}`, { status: "open" })).status).toBe(200);
  await says();
  expect(await says(WRITTEN)).toEqual([]);

  // The agent accepts while the system is asked.
  const late = await customer("1");
  let answer = (): void => undefined;
  asaas.system.fails = new Promise((resolve) => (answer = () => resolve({ status: 500 })));
  await desk.write(late.phone, WRITTEN);
  await vi.waitFor(() => expect(asaas.calls()).toHaveLength(1), { interval: 5 });
  await app.as(desk.agent).put(`/tickets/${late.id}`, { status: "open" });
  answer();
  await app.idle();
  expect(await late.news()).toEqual([lookupTexts.wait]);

  asaas.system.fails = undefined;
  await app.as(desk.admin).put("/settings/ipixc", { value: ixc.url });
  await app.as(desk.admin).put("/settings/asaas", { value: "" });
  expect((await (await customer("1")).ticket()).useIntegration).toBe(false);
  await has("asaas");
  await planHas(false);
  expect((await (await customer("1")).ticket()).useIntegration).toBe(false);
  await planHas(true);
});

test("an admin tries the access data of a system", async () => {
  await has("asaas");
  type Tried = BodyOf<"POST /billingLookups/test">;
  const tried = async (system: BillingSystem) =>
    (await app.as(desk.admin).post<Tried>("/billingLookups/test", { system })).body;
  const works = { isOk: true, fault: null, status: null };
  expect(await tried("asaas")).toEqual(works);
  expect(await tried("ixc")).toEqual({ isOk: false, fault: "access", status: null });
  asaas.system.fails = { status: 401 };
  expect(await tried("asaas")).toEqual({ isOk: false, fault: "refused", status: 401 });
});
