import { z } from "zod";
import type { BillingAccess, FoundCustomer, Reach } from "./call.ts";
import { basic, callSystem, readAnswer, reais, SystemFailed, word, words } from "./call.ts";

export type MkAuthAccess = { url: string; clientId: string; clientSecret: string };

const title = z.object({
  nome: words(200),
  valor: reais,
  bloqueado: word,
  uuid_cliente: word,
  qrcode: words(1_000),
  linhadig: words(200),
  status: word,
  datavenc: word,
  descricao: words(500),
  titulo: word,
});
type Title = z.output<typeof title>;
/** Older versions answer one title, newer ones a list. */
const customer = z.object({
  dados_cliente: z.object({
    nome: words(200),
    titulos: z.union([title.transform((one) => [one]), z.array(title)]).nullish(),
  }),
});

/** MK-Auth: a token for each look-up, then the customer with the title that is due. */
export function openMkAuth(
  reach: Reach,
  { url, clientId, clientSecret }: MkAuthAccess,
): BillingAccess {
  async function signIn(signal: AbortSignal): Promise<(path: string) => Promise<string>> {
    const headers = { authorization: basic(`${clientId}:${clientSecret}`) };
    const answer = await callSystem(reach, { url: `${url}/api/`, headers }, signal);
    const token = answer.trim().replaceAll('"', "");
    if (!/^[\w.~+/=-]{8,4000}$/.test(token)) throw new SystemFailed("answer");
    const bearer = { authorization: `Bearer ${token}` };
    return (path) => callSystem(reach, { url: `${url}/api${path}`, headers: bearer }, signal);
  }

  function toFound(ownName: string, titles: readonly Title[]): FoundCustomer {
    const open = titles
      .filter(({ status }) => status.toLowerCase() !== "pago")
      .toSorted((one, other) => one.datavenc.localeCompare(other.datavenc))[0];
    const {
      nome: name = ownName,
      bloqueado = "",
      uuid_cliente: uuid = "",
    } = open ?? titles[0] ?? {};
    return {
      name,
      bill: open
        ? {
            ...{ number: "", value: open.valor, dueDate: open.datavenc, line: open.linhadig },
            ...{ description: open.descricao, pix: open.qrcode },
            link: `${url}/boleto/21boleto.php?titulo=${encodeURIComponent(open.titulo)}`,
          }
        : null,
      unblock:
        bloqueado.toLowerCase() === "sim" && uuid !== ""
          ? async (signal) => {
              const call = await signIn(signal);
              await call(`/cliente/desbloqueio/${encodeURIComponent(uuid)}`);
              return { isDone: true, isOnline: null };
            }
          : null,
    };
  }

  return {
    async findBill(document, signal) {
      const call = await signIn(signal);
      const answer = await call(`/cliente/show/${document}`);
      if (answer.trim().replaceAll('"', "") === "NULL") return null;
      const { nome, titulos } = readAnswer(customer, answer).dados_cliente;
      return toFound(nome, titulos ?? []);
    },
    findBlocked: null,
    async check(signal) {
      await signIn(signal);
    },
  };
}
