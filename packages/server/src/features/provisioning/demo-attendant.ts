import type { CompanyId, QueueId, QueueOptionId, ScheduleEntry } from "@balcao/contract";
import { weekdayLabels, weekdays } from "@balcao/contract";
import type { Tx } from "../../platform/db/database.ts";
import { queueOptions } from "../../platform/db/schema/index.ts";

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

/** When the boutique is open; its people in the office leave earlier. */
export const shopHours = week(["09:00", "19:00"], ["09:00", "16:00"]);
export const officeHours = week(["09:00", "18:00"], closed);

type Leaf = { title: string; message: string };
type Option = Leaf & { below?: readonly Leaf[] };

/** What customers of the support queue choose from. */
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

/** Writes the menu of the support queue, one statement a level. */
export async function writeMenu(tx: Tx, companyId: CompanyId, queueId: QueueId): Promise<void> {
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
