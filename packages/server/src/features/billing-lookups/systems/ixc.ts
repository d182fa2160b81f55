import { z } from "zod";
import { formattedDocument } from "../documents.ts";
import type { Bill, BillingAccess, FoundCustomer, Reach, Unblocked } from "./call.ts";
import { basic, callSystem, optional, readAnswer, reais, word, words } from "./call.ts";

export type IxcAccess = { url: string; token: string };

/** A page of a list; without results the rows are left out. An error has the status of a success, and no total. */
const page = <T extends z.ZodType>(row: T) =>
  z.object({ total: z.union([z.string(), z.number()]), registros: z.array(row).default([]) });
const customers = page(z.object({ id: word, razao: words(200) }));
const bills = page(
  z.object({
    ...{ id: word, valor: reais, data_vencimento: word, linha_digitavel: words(200) },
    impresso: word,
  }),
);
const contracts = page(z.object({ id: word, status: word, status_internet: word }));
const logins = page(z.object({ online: word }));
const pixAnswer = z.object({ pix: z.object({ qrCode: z.object({ qrcode: words(1_000) }) }) });
const unblocking = z.object({ tipo: word, codigo: word, mensagem: words(300) });

type Query = { table: string; by: string; value: string; rows?: number; sortBy?: string };

/** A bill in print is a file inside of JSON. */
const PRINT_MAX_BYTES = 5_000_000;
const CONTRACTS_MAX = 20;
/** The connection was open already. */
const ALREADY_OPEN = "107";

/** IXC: lists are read by a GET whose query is its body. */
export function openIxc(reach: Reach, { url, token }: IxcAccess): BillingAccess {
  const address = (path: string): string => `${url}/webservice/v1/${path}`;
  const authorization = basic(token);
  const listing = { authorization, ixcsoft: "listar" };

  async function list<T>(
    form: z.ZodType<{ registros: T[] }>,
    { table, by, value, rows = 1, sortBy = "id" }: Query,
    signal: AbortSignal,
    filter: { grid_param?: string } = {},
  ): Promise<T[]> {
    const body = {
      ...{ qtype: `${table}.${by}`, query: value, oper: "=", page: "1", rp: String(rows) },
      ...{ sortname: `${table}.${sortBy}`, sortorder: "asc", ...filter },
    };
    const call = { url: address(table), headers: listing, body };
    return readAnswer(form, await callSystem(reach, call, signal)).registros;
  }

  async function findCustomer(document: string, signal: AbortSignal) {
    const value = formattedDocument(document);
    const [found] = await list(customers, { table: "cliente", by: "cnpj_cpf", value }, signal);
    return found;
  }

  async function findOpenBill(customerId: string, signal: AbortSignal): Promise<Bill | null> {
    const table = "fn_areceber";
    const grid = [{ TB: `${table}.status`, OP: "=", P: "A" }];
    const [found] = await list(
      bills,
      { table, by: "id_cliente", value: customerId, sortBy: "data_vencimento" },
      signal,
      { grid_param: JSON.stringify(grid) },
    );
    if (!found) return null;
    const isPrinted = found.impresso.toUpperCase() === "S";
    const open = isPrinted ? found : ((await printed(found.id, signal)) ?? found);
    const pix = await optional(pixOf(open.id, signal), signal);
    const { id: number, valor: value, data_vencimento: dueDate, linha_digitavel: line } = open;
    return { number, value, dueDate, line, description: "", link: "", pix: pix ?? "" };
  }

  /** A bill gets its line when it is printed for the first time. */
  async function printed(id: string, signal: AbortSignal) {
    const body = {
      ...{ boletos: id, juro: "N", multa: "N", atualiza_boleto: "N" },
      ...{ tipo_boleto: "arquivo", base64: "S" },
    };
    const print = { url: address("get_boleto"), headers: listing, body, maxBytes: PRINT_MAX_BYTES };
    const isMade = await optional(callSystem(reach, print, signal), signal);
    if (isMade === null) return null;
    const again = list(bills, { table: "fn_areceber", by: "id", value: id }, signal);
    return (await optional(again, signal))?.[0];
  }

  async function pixOf(id: string, signal: AbortSignal): Promise<string> {
    const call = { url: address("get_pix"), headers: listing, body: { id_areceber: id } };
    return readAnswer(pixAnswer, await callSystem(reach, call, signal)).pix.qrCode.qrcode;
  }

  async function unblock(contractId: string, signal: AbortSignal): Promise<Unblocked> {
    const call = {
      ...{ url: address("desbloqueio_confianca"), method: "POST" as const },
      ...{ headers: { authorization }, body: { id: contractId } },
    };
    const { tipo, codigo, mensagem } = readAnswer(
      unblocking,
      await callSystem(reach, call, signal),
    );
    const isDone = tipo.toLowerCase() === "sucesso" || codigo === ALREADY_OPEN;
    if (!isDone) return { isDone, words: mensagem };
    const query = { table: "radusuarios", by: "id_contrato", value: contractId };
    const login = (await optional(list(logins, query, signal), signal))?.[0];
    return { isDone, isOnline: login ? login.online.toUpperCase().startsWith("S") : null };
  }

  return {
    async findBill(document, signal): Promise<FoundCustomer | null> {
      const customer = await findCustomer(document, signal);
      if (!customer) return null;
      return { name: customer.razao, bill: await findOpenBill(customer.id, signal), unblock: null };
    },

    async findBlocked(document, signal): Promise<FoundCustomer | null> {
      const customer = await findCustomer(document, signal);
      if (!customer) return null;
      const query = {
        ...{ table: "cliente_contrato", by: "id_cliente", value: customer.id },
        rows: CONTRACTS_MAX,
      };
      const found = await list(contracts, query, signal);
      // A contract that ended is not blocked, whatever its connection says.
      const blocked = found.find(
        ({ status, status_internet: state }) => state !== "A" && (status === "A" || status === ""),
      );
      return {
        ...{ name: customer.razao, bill: null },
        unblock: blocked ? (limit) => unblock(blocked.id, limit) : null,
      };
    },

    async check(signal) {
      const value = formattedDocument("0".repeat(11));
      await list(customers, { table: "cliente", by: "cnpj_cpf", value }, signal);
    },
  };
}
