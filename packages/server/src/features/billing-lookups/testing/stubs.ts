import { startHttpStub } from "../../integrations/testing/stubs.ts";

/** Answers of a system: what the test sets comes before what the stub says by itself. */
type Answers = { status?: number; body?: string | Uint8Array } | null;

const json = (value: unknown, status = 200) => ({
  ...{ status, body: JSON.stringify(value) },
  headers: { "content-type": "application/json" },
});
const basicOf = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;

/** Access data that the stubs take. */
export const mkAuthKeys = { clientidmkauth: "provedor", clientsecretmkauth: "segredo-mk" };
export const asaasKey = "$aact_prod_segredo";
export const ixcToken = "12:segredo-ixc";

export const mkTitle = (fields: object = {}) => ({
  ...{ nome: "Ana Souza", valor: "99.90", bloqueado: "nao", uuid_cliente: "uuid-1" },
  ...{ qrcode: "", linhadig: "", status: "aberto", datavenc: "2026-11-20 00:00:00" },
  ...{ descricao: "Internet 500 Mb", titulo: "4711", ...fields },
});

/** A server whose answer the test can replace as a whole: `fails` answers in place of everything. */
async function startSystem(answer: (asked: Asked) => ReturnType<typeof json>) {
  const system = { fails: undefined as Answers | Promise<Answers> | undefined };
  const stub = await startHttpStub(({ method, path, headers, body }) => {
    if (system.fails !== undefined) return system.fails;
    return answer({ call: `${method} ${path}`, path, headers, body });
  });
  const calls = () => stub.asked.map(({ method, path }) => `${method} ${path}`);
  return { url: stub.url, asked: stub.asked, system, calls };
}
type Asked = {
  call: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
};

/** MK-Auth: a token for the client's id and secret, then customers by their number. */
export async function startMkAuth() {
  const customers = new Map<string, unknown>();
  const acts = { unblock: () => json({ status: "ok" }) };
  const stub = await startSystem(({ call, path, headers: { authorization } }) => {
    const { clientidmkauth: id, clientsecretmkauth: secret } = mkAuthKeys;
    if (call === "GET /api/") {
      const isKnown = authorization === basicOf(`${id}:${secret}`);
      return isKnown ? { ...json(""), body: "token.mk-auth" } : json({}, 401);
    }
    if (authorization !== "Bearer token.mk-auth") return json({}, 401);
    const [, document = ""] = /^\/api\/cliente\/show\/(\d+)$/.exec(path) ?? [];
    if (path.startsWith("/api/cliente/desbloqueio/")) return acts.unblock();
    const titulos = customers.get(document);
    return titulos === undefined
      ? { ...json(""), body: "NULL" }
      : json({ dados_cliente: { titulos } });
  });
  return { ...stub, customers, acts, json };
}

/** Asaas: customers, their payments by state, and what pays one. */
export async function startAsaas() {
  const data = {
    customers: new Map<string, object[]>(),
    payments: [] as { customer: string; status: string; id: string; [field: string]: unknown }[],
    pix: new Map<string, string>(),
    lines: new Map<string, string>(),
  };
  const stub = await startSystem(({ path, headers }) => {
    if (headers["access_token"] !== asaasKey) return json({ errors: [{ code: "invalid" }] }, 401);
    const url = new URL(path, "http://asaas.test");
    const of = (name: string): string => url.searchParams.get(name) ?? "";
    if (url.pathname === "/v3/customers") {
      return json({ data: data.customers.get(of("cpfCnpj")) ?? [] });
    }
    if (url.pathname === "/v3/payments") {
      const found = data.payments.filter(
        ({ customer, status }) => customer === of("customer") && status === of("status"),
      );
      return json({ data: found });
    }
    const [, id = "", part] = /^\/v3\/payments\/(\w+)\/(\w+)$/.exec(url.pathname) ?? [];
    const payload = data.pix.get(id);
    if (part === "pixQrCode" && payload !== undefined) return json({ success: true, payload });
    const line = data.lines.get(id);
    if (part === "identificationField" && line !== undefined) {
      return json({ identificationField: line });
    }
    return json({ errors: [{ code: "invalid_action" }] }, 400);
  });
  return { ...stub, data };
}

/** IXC: rows of its tables, listed by a GET with a body. A table with a function answers by itself. */
export async function startIxc() {
  type Row = Record<string, unknown>;
  const tables = {
    cliente: [] as Row[],
    fn_areceber: [] as Row[],
    cliente_contrato: [] as Row[],
    radusuarios: [] as Row[],
  };
  const acts = {
    get_boleto: (_body: Row): unknown => ({ registros: "" }),
    get_pix: (_body: Row): unknown => ({ type: "error", message: "sem PIX" }),
    desbloqueio_confianca: (_body: Row): unknown => ({ tipo: "sucesso", mensagem: "Liberado" }),
  };
  const isTable = (name: string): name is keyof typeof tables => Object.hasOwn(tables, name);
  const isAct = (name: string): name is keyof typeof acts => Object.hasOwn(acts, name);
  const stub = await startSystem(({ call, headers, body }) => {
    if (headers.authorization !== basicOf(ixcToken)) return json({}, 401);
    const [, method = "", name = ""] = /^(\w+) \/webservice\/v1\/(\w+)$/.exec(call) ?? [];
    const asked = JSON.parse(body) as Row;
    if (isAct(name)) {
      const isWrite = name === "desbloqueio_confianca";
      const isRight =
        method === (isWrite ? "POST" : "GET") &&
        headers["ixcsoft"] === (isWrite ? undefined : "listar");
      return isRight ? json(acts[name](asked)) : json({}, 405);
    }
    if (!isTable(name) || method !== "GET" || headers["ixcsoft"] !== "listar") return json({}, 405);
    const field = String(asked["qtype"]).replace(`${name}.`, "");
    const { grid_param: grid = "[]" } = asked as { grid_param?: string };
    const [filter] = JSON.parse(grid) as { TB: string; P: string }[];
    const found = tables[name].filter(
      (row) =>
        String(row[field]) === asked["query"] &&
        (!filter || row[filter.TB.replace(`${name}.`, "")] === filter.P),
    );
    const order = String(asked["sortname"]).replace(`${name}.`, "");
    const sorted = found.toSorted((one, other) =>
      String(one[order]).localeCompare(String(other[order])),
    );
    const registros = sorted.slice(0, Number(asked["rp"]));
    // Without rows the real one leaves the list out.
    return json({ page: "1", total: found.length, ...(registros.length > 0 && { registros }) });
  });
  return { ...stub, tables, acts };
}
