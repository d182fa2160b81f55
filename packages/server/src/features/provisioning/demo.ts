import type { CompanyId, QueueId, QueueOptionId, ScheduleEntry, UserId } from "@balcao/contract";
import { tagId, weekdayLabels, weekdays } from "@balcao/contract";
import { tz } from "@date-fns/tz";
import { addDays } from "date-fns/addDays";
import { constructFrom } from "date-fns/constructFrom";
import { endOfDay } from "date-fns/endOfDay";
import { and, eq } from "drizzle-orm";
import type { Tx } from "../../platform/db/database.ts";
import { connections, queueOptions, quickMessages, tags } from "../../platform/db/schema/index.ts";
import type { Sources } from "../../platform/sources.ts";
import { buildCompany, buildConnection, buildPlan, buildQueue, buildUser } from "./builders.ts";
import { demoConversations } from "./demo-conversations.ts";
import type { WantedFile } from "./demo-files.ts";
import type { DemoCompany, SeedChannel } from "./demo-history.ts";
import { writeHistory } from "./demo-history.ts";
import type { QueueName, TagName } from "./demo-script.ts";

export const DEMO_COMPANY = "Boutique Aurora";
const DEMO_TIME_ZONE = "America/Sao_Paulo";

const SUBSCRIPTION_DAYS = 30;

/** The users of the demo company. */
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
 * Returns the messages whose files are stored after the commit.
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
    // The due day itself is still included.
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
      // Everybody sees tickets without a queue.
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

/** The boutique's shared quick messages. */
const answers = [
  {
    shortcode: "bemvinda",
    message: "{{ms}}, {{firstName}}! Aqui é da *Boutique Aurora* 💚 Como posso ajudar?",
  },
  {
    shortcode: "pix",
    folder: "Pagamento",
    message:
      "Nossa chave PIX é o e-mail *pix@aurora.example*. Assim que pagar, envie o comprovante por aqui 😉",
  },
  {
    shortcode: "prazo",
    folder: "Entrega e troca",
    message: "O prazo de entrega é de 3 a 7 dias úteis, com código de rastreio por esta conversa.",
  },
  {
    shortcode: "troca",
    folder: "Entrega e troca",
    message:
      "A primeira troca é por nossa conta, em até 30 dias. Protocolo do atendimento: {{protocol}}",
  },
] as const;

const ownAnswer = {
  shortcode: "almoco",
  message: "Estou em horário de almoço e respondo às 13h30, tudo bem?",
};

/** Writes the demo company's quick messages, in one statement. */
async function writeAnswers(tx: Tx, companyId: CompanyId, agentId: UserId): Promise<void> {
  await tx.orm
    .insert(quickMessages)
    .values([
      ...answers.map((answer) => ({ ...answer, companyId, geral: true })),
      { ...ownAnswer, companyId, userId: agentId },
    ]);
}

type Period = readonly [startTime: string, endTime: string];

function week(workday: Period, saturday: Period): ScheduleEntry[] {
  return weekdays.map((weekdayEn) => {
    const [startTime, endTime] = periodOf(weekdayEn, workday, saturday);
    return { weekday: weekdayLabels[weekdayEn], weekdayEn, startTime, endTime };
  });
}

const closed: Period = ["00:00", "00:00"];

function periodOf(day: (typeof weekdays)[number], workday: Period, saturday: Period): Period {
  if (day === "sunday") return closed;
  return day === "saturday" ? saturday : workday;
}

/** Opening hours of the shop and of its office. */
const shopHours = week(["09:00", "19:00"], ["09:00", "16:00"]);
const officeHours = week(["09:00", "18:00"], closed);

type Leaf = { title: string; message: string };
type Option = Leaf & { below?: readonly Leaf[] };

/** The menu of the support queue. */
const supportMenu: readonly Option[] = [
  {
    title: "Pedidos e entregas",
    message: "Sobre o seu pedido, o que você precisa?",
    below: [
      {
        title: "Onde está o meu pedido",
        message:
          "O código de rastreio segue por e-mail assim que o pedido sai da loja. Envie aqui o *número do pedido* e nós conferimos para você.",
      },
      {
        title: "Mudar o endereço de entrega",
        message:
          "Dá para mudar enquanto o pedido não foi despachado. Envie o *número do pedido* e o novo endereço com CEP.",
      },
      {
        title: "Meu pedido está atrasado",
        message:
          "Sentimos muito! Envie o *número do pedido*: vamos falar com a transportadora agora.",
      },
    ],
  },
  {
    title: "Trocas e devoluções",
    message: "A primeira troca é por nossa conta, em até 30 dias. O que aconteceu?",
    below: [
      {
        title: "Tamanho ou cor errada",
        message:
          "Conte qual peça você recebeu e qual queria: tamanho e cor. Uma foto da etiqueta ajuda.",
      },
      {
        title: "Peça com defeito",
        message: "Que pena! Envie uma foto do defeito e o *número do pedido*.",
      },
      {
        title: "Devolver e receber de volta",
        message:
          "A devolução é aceita em até 7 dias depois da entrega. Envie o *número do pedido* para gerarmos o código de postagem.",
      },
    ],
  },
  {
    title: "Endereço e horário da loja",
    message:
      "Rua Augusta, 2690, loja 12, São Paulo. De segunda a sexta das 9h às 19h, aos sábados das 9h às 16h.",
  },
];

/** Stores the menu of the support queue, one statement per level. */
async function writeMenu(tx: Tx, companyId: CompanyId, queueId: QueueId): Promise<void> {
  const write = (
    options: readonly (Option & { parentId: QueueOptionId | null; number: number })[],
  ) =>
    tx.orm
      .insert(queueOptions)
      .values(
        options.map(({ parentId, number, title, message }) => ({
          ...{ companyId, queueId, parentId, number, title, message },
        })),
      )
      .returning({ id: queueOptions.id, number: queueOptions.number });

  const numbered = (options: readonly Option[], parentId: QueueOptionId | null) =>
    options.map((option, place) => ({ ...option, parentId, number: place + 1 }));
  const roots = await write(numbered(supportMenu, null));
  await write(
    roots.flatMap(({ id, number }) => numbered(supportMenu[number - 1]?.below ?? [], id)),
  );
}
