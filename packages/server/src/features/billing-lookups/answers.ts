import type { BillingLookup } from "@balcao/contract";
import type { Bill, FoundCustomer, Unblocked } from "./systems/call.ts";

/** What one system said about a customer. `unblocked`: null where nothing was to be unblocked. */
export type Outcome =
  | { kind: "found"; customer: Pick<FoundCustomer, "name" | "bill">; unblocked: Unblocked | null }
  | { kind: "unknown" }
  | { kind: "failed" };

/** A text, or the picture of a QR code. */
export type Part = { kind: "text"; text: string } | { kind: "qr"; code: string };

/** What the customer is told; then the look-up is over, or goes on with the next number. */
export type LookupAnswer = { parts: Part[]; isOver: boolean };

const TO_A_PERSON = "Digite *#* e fale com um *Atendente*!";

/** Texts of behaviour 7.9, and those that it leaves open. */
export const lookupTexts = {
  /** Where the queue has no greeting that asks for it. */
  ask: "Digite o número do seu *CPF* ou *CNPJ*, por favor!\nOu digite *#* para voltar ao *Menu Anterior*",
  invalid:
    "Este CPF/CNPJ não é válido!\n\nPor favor tente novamente!\nOu digite *#* para voltar ao *Menu Anterior*",
  wait: "Aguarde! Estamos consultando na base de dados!",
  notFound: "Cadastro não localizado! *CPF/CNPJ* incorreto ou inválido. Tenta novamente!",
  error: `*Opss!!!!*\nOcorreu um erro! ${TO_A_PERSON}`,
  over: "Estamos finalizando esta conversa! Caso precise entre em contato conosco!",
} as const;

const localized = (name: string): string =>
  name === ""
    ? "Localizei seu cadastro! Só mais um instante, por favor!"
    : `Localizei seu cadastro!\n*${name}*, só mais um instante, por favor!`;
const NOTHING_DUE = "Você não tem faturas em aberto.";
const LINE = "Este é o *código de barras* para pagar:";
const PIX = "Este é o *PIX copia e cola*:";
const NOT_BLOCKED = `Sua conexão não está bloqueada!\nSe você continua sem internet: ${TO_A_PERSON}`;
const RESTART =
  "Pronto, seu acesso foi liberado! Retire o equipamento da tomada, aguarde 1 minuto e ligue novamente.";
const IS_OFFLINE =
  "Pronto, seu acesso foi liberado! Seu equipamento está desconectado: confira se ele está ligado e aguarde até 5 minutos.";
const notUnblocked = (words: string): string =>
  `Não foi possível confirmar a liberação do seu acesso!${words === "" ? "" : `\n${words}`}\n${TO_A_PERSON}`;

const say = (text: string): Part => ({ kind: "text", text });

/** The answer of all systems together, in their order. One that failed counts only where no other knows the customer. */
export function answerOf(lookup: BillingLookup, outcomes: readonly Outcome[]): LookupAnswer {
  const found = outcomes.filter((outcome) => outcome.kind === "found");
  const [first] = found;
  if (!first) {
    const hasFailed = outcomes.length === 0 || outcomes.some(({ kind }) => kind === "failed");
    return { parts: [say(hasFailed ? lookupTexts.error : lookupTexts.notFound)], isOver: false };
  }
  const helped = found.filter(({ customer, unblocked }) => customer.bill || unblocked);
  const told = helped.length > 0 ? helped : [first];
  const parts = told.flatMap(({ customer: { name, bill }, unblocked }) => [
    say(localized(name)),
    ...(bill ? billParts(name, bill) : []),
    ...(unblocked ? [say(unblockText(unblocked))] : []),
  ]);
  const isBlockedNowhere = lookup === "unblock" && helped.length === 0;
  if (isBlockedNowhere) return { parts: [...parts, say(NOT_BLOCKED)], isOver: false };
  const nothing = helped.length === 0 ? [say(NOTHING_DUE)] : [];
  const isOver = told.every(({ unblocked }) => unblocked === null || unblocked.isDone);
  const end = isOver ? [say(lookupTexts.over)] : [];
  return { parts: [...parts, ...nothing, ...end], isOver };
}

function billParts(name: string, bill: Bill): Part[] {
  const { number, value, dueDate, description, link, line, pix } = bill;
  const rows = [
    ["Fatura", number],
    ["Nome", name],
    ["Valor", money(value)],
    ["Vencimento", day(dueDate)],
    ["Descrição", description],
    ["Link", link],
  ] as const;
  const facts = rows.flatMap(([label, text]) => (text === "" ? [] : [`*${label}:* ${text}`]));
  return [
    say(`Segue a segunda via da sua fatura!\n\n${facts.join("\n")}`),
    // Apart from the words around it, so that it can be copied.
    ...(line === "" ? [] : [say(LINE), say(line)]),
    ...(pix === "" ? [] : [say(PIX), say(pix), { kind: "qr" as const, code: pix }]),
  ];
}

function unblockText(unblocked: Unblocked): string {
  if (!unblocked.isDone) return notUnblocked(unblocked.words);
  return unblocked.isOnline === false ? IS_OFFLINE : RESTART;
}

const currency = new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" });

/** `R$ 99,90`, with a blank that is one in every chat. */
const money = (value: number): string => currency.format(value).replaceAll("\u00a0", " ");

/** Systems write `2026-11-20`, also with a time. */
const day = (text: string): string =>
  text.replace(/^(\d{4})-(\d{2})-(\d{2}).*$/s, "$3/$2/$1").slice(0, 20);
