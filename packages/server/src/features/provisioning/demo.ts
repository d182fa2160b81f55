import type { CompanyId, UserId } from "@balcao/contract";
import { tagId } from "@balcao/contract";
import { tz } from "@date-fns/tz";
import { addDays } from "date-fns/addDays";
import { constructFrom } from "date-fns/constructFrom";
import { endOfDay } from "date-fns/endOfDay";
import { and, eq } from "drizzle-orm";
import type { Tx } from "../../platform/db/database.ts";
import { connections, tags } from "../../platform/db/schema/index.ts";
import type { Sources } from "../../platform/sources.ts";
import type { SeedChannel } from "./channel-history.ts";
import { buildCompany, buildConnection, buildPlan, buildQueue, buildUser } from "./builders.ts";
import { writeAnswers } from "./demo-answers.ts";
import { officeHours, shopHours, writeMenu } from "./demo-attendant.ts";
import { demoConversations } from "./demo-content.ts";
import type { WantedFile } from "./demo-extras.ts";
import type { DemoCompany } from "./demo-company.ts";
import { writeHistory } from "./demo-history.ts";
import type { QueueName, TagName } from "./demo-script.ts";

export const DEMO_COMPANY = "Boutique Aurora";
const DEMO_TIME_ZONE = "America/Sao_Paulo";

const SUBSCRIPTION_DAYS = 30;

/** Those who can sign in to the demo company. */
export const demoStaff = [
  { name: "Renata Aguiar", email: "renata@aurora.local", role: "admin" },
  { name: "Marina Prado", email: "marina@aurora.local", role: "agent" },
  { name: "Caio Nunes", email: "caio@aurora.local", role: "agent" },
  { name: "Beatriz Lopes", email: "beatriz@aurora.local", role: "agent" },
] as const satisfies readonly { name: string; email: string; role: "admin" | "agent" }[];

export type DemoPerson = (typeof demoStaff)[number];
type Staff = readonly (DemoPerson & { passwordHash: string })[];

/**
 * A boutique in the middle of its day: people, queues, a linked simulator line and its last days of conversations.
 * Answers the messages whose files are to be stored after the commit.
 */
export async function createDemoCompany(
  tx: Tx,
  deps: { sources: Sources; seedChannel: SeedChannel },
  staff: Staff,
): Promise<{ companyId: CompanyId; files: WantedFile[] }> {
  const now = deps.sources.clock.now();
  const company = await createStage(tx, now, staff);
  const { history, files } = await writeHistory(tx, deps.sources, company, demoConversations, {
    now,
    timeZone: DEMO_TIME_ZONE,
  });
  const { number } = await deps.seedChannel(tx, history);
  await tx.orm
    .update(connections)
    .set({ number })
    .where(
      and(eq(connections.companyId, company.companyId), eq(connections.id, company.connectionId)),
    );
  return { companyId: company.companyId, files };
}

async function createStage(tx: Tx, now: Date, staff: Staff): Promise<DemoCompany> {
  const planId = await buildPlan(tx, { name: "Completo", valueCents: 29_900 });
  const companyId = await buildCompany(tx, {
    name: DEMO_COMPANY,
    email: demoStaff[0].email,
    phone: "551109004412",
    planId,
    timeZone: DEMO_TIME_ZONE,
    schedules: shopHours,
    // The due day itself is still paid for.
    dueDate: constructFrom(
      now,
      endOfDay(addDays(now, SUBSCRIPTION_DAYS, { in: tz(DEMO_TIME_ZONE) })),
    ),
  });
  const queueIds = await createQueues(tx, companyId);
  const userIds = await createStaff(tx, companyId, queueIds, staff);
  const connectionId = await buildConnection(tx, {
    companyId,
    name: "Loja Paulista",
    channel: "simulator",
    status: "CONNECTED",
    isDefault: true,
    wanted: true,
    greetingMessage:
      "Olá, {{firstName}}! 👋 Que bom falar com você na *Boutique Aurora*.\nCom quem você quer conversar?",
    outOfHoursMessage:
      "Oi, {{firstName}}! A *Boutique Aurora* está fechada agora. Respondemos de segunda a sexta das 9h às 19h e aos sábados das 9h às 16h 💚",
    queueIds: Object.values(queueIds),
  });
  await writeAnswers(tx, companyId, userIds["Marina Prado"]);
  await writeMenu(tx, companyId, queueIds.Suporte);
  return { companyId, connectionId, queueIds, userIds, tagIds: await createTags(tx, companyId) };
}

async function createQueues(tx: Tx, companyId: CompanyId): Promise<DemoCompany["queueIds"]> {
  return {
    Vendas: await buildQueue(tx, {
      ...{ companyId, name: "Vendas", color: "#2f8f6b", orderQueue: 1, schedules: shopHours },
      greetingMessage:
        "Você está falando com *Vendas*. Conte o que procura: peça, cor e tamanho 💚",
      outOfHoursMessage:
        "Vendas atende de segunda a sexta das 9h às 19h e aos sábados das 9h às 16h. Deixe o seu pedido, que respondemos assim que abrirmos.",
    }),
    Suporte: await buildQueue(tx, {
      ...{ companyId, name: "Suporte", color: "#3b82c4", orderQueue: 2, schedules: shopHours },
      greetingMessage: "Você está falando com o *Suporte*. Sobre o que você quer falar?",
      outOfHoursMessage:
        "O Suporte atende de segunda a sexta das 9h às 19h e aos sábados das 9h às 16h. Já pode enviar o número do pedido.",
    }),
    Financeiro: await buildQueue(tx, {
      ...{ companyId, name: "Financeiro", color: "#c2762e", orderQueue: 3, schedules: officeHours },
      greetingMessage:
        "Você está falando com o *Financeiro*. Pagamentos, estornos e notas fiscais são aqui.",
      outOfHoursMessage: "O Financeiro atende de segunda a sexta, das 9h às 18h.",
    }),
  };
}

async function createStaff(
  tx: Tx,
  companyId: CompanyId,
  queueIds: DemoCompany["queueIds"],
  staff: Staff,
): Promise<DemoCompany["userIds"]> {
  const queuesOf: Record<DemoPerson["name"], readonly QueueName[]> = {
    "Renata Aguiar": ["Vendas", "Suporte", "Financeiro"],
    "Marina Prado": ["Suporte", "Vendas"],
    "Caio Nunes": ["Vendas"],
    "Beatriz Lopes": ["Financeiro"],
  };
  const ids = new Map<DemoPerson["name"], UserId>();
  for (const { name, email, role, passwordHash } of staff) {
    const id = await buildUser(tx, {
      companyId,
      name,
      email,
      passwordHash,
      profile: role === "admin" ? "admin" : "user",
      // Everybody sees who waits without a queue.
      allTicket: "enabled",
      queueIds: queuesOf[name].map((queue) => queueIds[queue]),
    });
    ids.set(name, id);
  }
  return {
    "Marina Prado": known(ids, "Marina Prado"),
    "Caio Nunes": known(ids, "Caio Nunes"),
    "Beatriz Lopes": known(ids, "Beatriz Lopes"),
  };
}

async function createTags(tx: Tx, companyId: CompanyId): Promise<DemoCompany["tagIds"]> {
  const colors: Record<TagName, string> = {
    "Cliente VIP": "#2f8f6b",
    Troca: "#c3772f",
    "Pós-venda": "#7a5bbf",
    Orçamento: "#3b82c4",
  };
  const rows = await tx.orm
    .insert(tags)
    .values(Object.entries(colors).map(([name, color]) => ({ companyId, name, color })))
    .returning({ id: tags.id, name: tags.name });
  const ids = new Map(rows.map((row) => [row.name, tagId.parse(row.id)]));
  return {
    "Cliente VIP": known(ids, "Cliente VIP"),
    Troca: known(ids, "Troca"),
    "Pós-venda": known(ids, "Pós-venda"),
    Orçamento: known(ids, "Orçamento"),
  };
}

function known<K, V>(map: ReadonlyMap<K, V>, key: K): V {
  const value = map.get(key);
  if (value === undefined) throw new Error(`the demo has no ${String(key)}`);
  return value;
}
