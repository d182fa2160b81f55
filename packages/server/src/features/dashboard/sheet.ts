import type { Measures, NowFilter, SheetLanguage } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import { requireRow } from "../../platform/db/records.ts";
import type { SheetCell } from "../../platform/spreadsheets/write.ts";
import { chosenValues } from "./measures.ts";
import type { Period } from "./period.ts";

/** The names of what a filter chooses, in the order of the ids. */
export type FilterNames = Record<"queues" | "users" | "connections" | "tags", string[] | null>;

export async function readFilterNames(
  db: Database,
  ctx: Ctx,
  filter: NowFilter,
): Promise<FilterNames> {
  const values = [ctx.companyId, ...chosenValues(filter)];
  return requireRow(await db.read<FilterNames>(ctx, namesStatement, values));
}

const namesOf = (table: string, at: number): string => `(
  select json_agg(coalesce(x.name, '') order by i.place)
  from unnest($${at}::int[]) with ordinality i (id, place)
  left join ${table} x on x.company_id = $1 and x.id = i.id)`;

const namesStatement = {
  name: "dashboard.filter-names",
  text: `
select ${namesOf("queues", 2)} as queues, ${namesOf("users", 3)} as users,
  ${namesOf("connections", 4)} as connections, ${namesOf("tags", 5)} as tags`,
};

type Words = {
  file: { dashboard: string; report: string };
  title: { dashboard: string; report: string };
  period: string;
  to: string;
  timeZone: string;
  queue: string;
  user: string;
  connection: string;
  tag: string;
  all: string;
  none: string;
  removed: string;
  sections: { figures: string; users: string; queues: string; time: string; heat: string };
  thisPeriod: string;
  before: string;
  figures: Record<MeasureName, string>;
  openNow: string;
  time: { hour: string; day: string; week: string };
  weekdays: readonly string[];
  report: readonly string[];
  yes: string;
  no: string;
  narrowed: Record<string, string>;
  states: Record<string, string>;
};

const measureNames = [
  ...(["attendances", "resolved", "running", "reopened", "newContacts", "wait"] as const),
  ...(["firstAnswer", "support", "rating", "rated", "rate3", "rate2", "rate1"] as const),
];
type MeasureName = (typeof measureNames)[number];

/** Two decimals; a sheet shows more than anybody reads. */
const short = (value: number | null): number | null =>
  value === null ? null : Math.round(value * 100) / 100;

const valuesOf = (m: Measures): Record<MeasureName, number | null> => ({
  attendances: m.attendances,
  resolved: m.resolved,
  running: m.running,
  reopened: m.reopened,
  newContacts: m.newContacts,
  wait: short(m.wait.seconds),
  firstAnswer: short(m.firstAnswer.seconds),
  support: short(m.support.seconds),
  rating: short(m.ratings.average),
  rated: m.ratings.count,
  rate3: m.ratings.counts[2],
  rate2: m.ratings.counts[1],
  rate1: m.ratings.counts[0],
});

/** The figures of sets of attendances, a line for each figure. */
export const measureLines = (words: Words, sets: readonly Measures[]): SheetCell[][] => {
  const columns = sets.map(valuesOf);
  return measureNames.map((name) => [
    words.figures[name],
    ...columns.map((values) => values[name]),
  ]);
};

/** The same as one line, and its titles. */
export const measureCells = (m: Measures): (number | null)[] => Object.values(valuesOf(m));
export const measureTitles = (words: Words): string[] =>
  measureNames.map((name) => words.figures[name]);

/** `YYYY-MM-DD` as people write it. */
export const dayText = (day: string): string => day.split("-").reverse().join("/");

/** The first lines of a sheet: what it is about, and what it is narrowed to. */
export function filterLines(
  words: Words,
  title: string,
  { from, to, timeZone }: Pick<Period, "from" | "to" | "timeZone">,
  { queues, users, connections, tags }: FilterNames,
): SheetCell[][] {
  const listed = (names: string[] | null): string =>
    names === null ? words.all : names.map((name) => name || words.none).join(", ");
  return [
    [title],
    [words.period, `${dayText(from)} ${words.to} ${dayText(to)}`],
    [words.timeZone, timeZone],
    [words.queue, listed(queues)],
    [words.user, listed(users)],
    [words.tag, listed(tags)],
    [words.connection, listed(connections)],
  ];
}

export const sheetWords: Record<SheetLanguage, Words> = {
  pt: {
    file: { dashboard: "painel", report: "atendimentos" },
    title: { dashboard: "Painel", report: "Atendimentos" },
    ...{ period: "Período", to: "a", timeZone: "Fuso horário", queue: "Fila", user: "Atendente" },
    ...{ connection: "Conexão", tag: "Etiqueta", all: "todas", none: "(nenhuma)" },
    removed: "(removido)",
    sections: {
      ...{ figures: "Números do período", users: "Por atendente", queues: "Por fila" },
      ...{ time: "No tempo", heat: "Por dia da semana e hora" },
    },
    ...{ thisPeriod: "Período", before: "Período anterior", openNow: "Abertos agora" },
    figures: {
      ...{ attendances: "Atendimentos", resolved: "Finalizados", running: "Em andamento" },
      ...{ reopened: "Reabertos", newContacts: "Contatos novos", wait: "Espera média (s)" },
      ...{ firstAnswer: "Primeira resposta (s)", support: "Atendimento médio (s)" },
      ...{ rating: "Avaliação média", rated: "Avaliações", rate3: "Muito satisfeito" },
      ...{ rate2: "Satisfeito", rate1: "Insatisfeito" },
    },
    time: { hour: "Hora", day: "Dia", week: "Semana" },
    weekdays: ["segunda", "terça", "quarta", "quinta", "sexta", "sábado", "domingo"],
    report: [
      ...["Protocolo", "Ticket", "Contato", "Número", "Atendente", "Fila", "Conexão"],
      ...["Criado em", "Na fila em", "Aceito em", "Primeira resposta em", "Finalizado em"],
      ...["Espera (s)", "Primeira resposta (s)", "Atendimento (s)", "Avaliação", "Reaberto"],
      ...["Finalizado por", "Motivo"],
    ],
    ...{ yes: "sim", no: "não" },
    narrowed: {
      ...{ by: "Data", state: "Situação", time: "Com tempo de", rates: "Avaliações" },
      ...{ waitOver: "Espera acima de (min)", weekday: "Dia da semana", hour: "Hora" },
      ...{ contactId: "Contato nº", protocol: "Protocolo", searchParam: "Busca" },
    },
    states: {
      ...{ all: "todos", resolved: "finalizados", running: "em andamento", rated: "avaliados" },
      ...{ reopened: "reabertos", new: "contatos novos", queued: "entrada na fila" },
      ...{ wait: "espera", firstAnswer: "primeira resposta", support: "atendimento" },
    },
  },
  en: {
    file: { dashboard: "dashboard", report: "conversations" },
    title: { dashboard: "Dashboard", report: "Conversations" },
    ...{ period: "Period", to: "to", timeZone: "Time zone", queue: "Queue", user: "Agent" },
    ...{ connection: "Connection", tag: "Tag", all: "all", none: "(none)" },
    removed: "(removed)",
    sections: {
      ...{ figures: "Figures of the period", users: "By agent", queues: "By queue" },
      ...{ time: "Over time", heat: "By weekday and hour" },
    },
    ...{ thisPeriod: "Period", before: "Period before", openNow: "Open now" },
    figures: {
      ...{ attendances: "Conversations", resolved: "Resolved", running: "Running" },
      ...{ reopened: "Reopened", newContacts: "New contacts", wait: "Average wait (s)" },
      ...{ firstAnswer: "First answer (s)", support: "Average service (s)" },
      ...{ rating: "Average rating", rated: "Ratings", rate3: "Very satisfied" },
      ...{ rate2: "Satisfied", rate1: "Not satisfied" },
    },
    time: { hour: "Hour", day: "Day", week: "Week" },
    weekdays: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    report: [
      ...["Protocol", "Ticket", "Contact", "Number", "Agent", "Queue", "Connection"],
      ...["Created", "Queued", "Accepted", "First answer", "Resolved"],
      ...["Wait (s)", "First answer (s)", "Service (s)", "Rating", "Reopened"],
      ...["Resolved by", "Reason"],
    ],
    ...{ yes: "yes", no: "no" },
    narrowed: {
      ...{ by: "Date", state: "State", time: "With time of", rates: "Ratings" },
      ...{ waitOver: "Wait above (min)", weekday: "Weekday", hour: "Hour" },
      ...{ contactId: "Contact no.", protocol: "Protocol", searchParam: "Search" },
    },
    states: {
      ...{ all: "all", resolved: "resolved", running: "running", rated: "rated" },
      ...{ reopened: "reopened", new: "new contacts", queued: "queued" },
      ...{ wait: "wait", firstAnswer: "first answer", support: "service" },
    },
  },
  es: {
    file: { dashboard: "panel", report: "atenciones" },
    title: { dashboard: "Panel", report: "Atenciones" },
    ...{ period: "Período", to: "a", timeZone: "Zona horaria", queue: "Cola", user: "Agente" },
    ...{ connection: "Conexión", tag: "Etiqueta", all: "todas", none: "(ninguna)" },
    removed: "(eliminado)",
    sections: {
      ...{ figures: "Cifras del período", users: "Por agente", queues: "Por cola" },
      ...{ time: "En el tiempo", heat: "Por día de la semana y hora" },
    },
    ...{ thisPeriod: "Período", before: "Período anterior", openNow: "Abiertos ahora" },
    figures: {
      ...{ attendances: "Atenciones", resolved: "Finalizadas", running: "En curso" },
      ...{ reopened: "Reabiertas", newContacts: "Contactos nuevos", wait: "Espera media (s)" },
      ...{ firstAnswer: "Primera respuesta (s)", support: "Atención media (s)" },
      ...{ rating: "Calificación media", rated: "Calificaciones", rate3: "Muy satisfecho" },
      ...{ rate2: "Satisfecho", rate1: "Insatisfecho" },
    },
    time: { hour: "Hora", day: "Día", week: "Semana" },
    weekdays: ["lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"],
    report: [
      ...["Protocolo", "Ticket", "Contacto", "Número", "Agente", "Cola", "Conexión"],
      ...["Creada", "En cola", "Aceptada", "Primera respuesta", "Finalizada"],
      ...["Espera (s)", "Primera respuesta (s)", "Atención (s)", "Calificación", "Reabierta"],
      ...["Finalizada por", "Motivo"],
    ],
    ...{ yes: "sí", no: "no" },
    narrowed: {
      ...{ by: "Fecha", state: "Estado", time: "Con tiempo de", rates: "Calificaciones" },
      ...{ waitOver: "Espera mayor a (min)", weekday: "Día de la semana", hour: "Hora" },
      ...{ contactId: "Contacto n.º", protocol: "Protocolo", searchParam: "Búsqueda" },
    },
    states: {
      ...{ all: "todas", resolved: "finalizadas", running: "en curso", rated: "calificadas" },
      ...{ reopened: "reabiertas", new: "contactos nuevos", queued: "entrada en cola" },
      ...{ wait: "espera", firstAnswer: "primera respuesta", support: "atención" },
    },
  },
};
