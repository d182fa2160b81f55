import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { atEndOfFile } from "../../../testing/end-of-file.ts";
import { newTlsCertificate } from "../../../testing/tls-certificate.ts";

type Answer = { status?: number; body: unknown };
type Request = { method: string; path: string; headers: IncomingMessage["headers"]; body: unknown };

const own = newTlsCertificate();
/** The certificate that the product must trust to reach the stubs. */
export const bankAuthority = own.certificate;

/** An https server of a bank on this machine; with `clientAuthority`, only clients with that certificate get in. */
async function serve(
  answerOf: (request: Request) => Answer | Promise<Answer>,
  clientAuthority?: string,
): Promise<string> {
  const mutual = { ca: clientAuthority, requestCert: true, rejectUnauthorized: true };
  const server = createServer(
    {
      ...{ cert: own.certificate, key: own.key },
      ...(clientAuthority === undefined ? {} : mutual),
    },
    (request, reply) => {
      const answer = async (): Promise<void> => {
        const { method = "", url = "", headers } = request;
        const body = Number(headers["content-length"] ?? 0) > 0 ? await json(request) : null;
        const { status = 200, body: said } = await answerOf({ method, path: url, headers, body });
        reply.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(said));
      };
      answer().catch(() => reply.writeHead(500).end());
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEndOfFile(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Transfer = { endToEndId: string; valor: string; horario: string };
type EfiCharge = {
  txid: string;
  chave: string;
  status: string;
  loc: { id: number };
  calendario: { criacao: string; expiracao: number };
  valor: { original: string };
  solicitacaoPagador: string;
  pix: Transfer[];
};

export type EfiStub = {
  url: string;
  /** A client that the bank knows. */
  access: { clientId: string; clientSecret: string; certificate: string };
  charges: Map<string, EfiCharge>;
  webhooks: { chave: string; url: string }[];
  /** The next charge is made, and its answer comes too late. */
  isSlow: boolean;
  pay(txid: string, value?: string): void;
};

/** Efí's PIX API as its manual has it: mutual TLS, OAuth, `cob` by txid. */
export async function startEfiStub(): Promise<EfiStub> {
  const client = newTlsCertificate();
  const charges: EfiStub["charges"] = new Map();
  const token = "efi-token";
  const basic = `Basic ${Buffer.from("id-1:secret-1").toString("base64")}`;
  const stub: EfiStub = {
    url: "",
    access: {
      ...{ clientId: "id-1", clientSecret: "secret-1" },
      certificate: Buffer.from(client.certificate + client.key).toString("base64"),
    },
    ...{ charges, webhooks: [], isSlow: false },
    pay(txid, value) {
      const charge = charges.get(txid);
      if (!charge) throw new Error("no such charge");
      charge.status = "CONCLUIDA";
      charge.pix.push({
        endToEndId: `E${charge.pix.length}${txid}`,
        valor: value ?? charge.valor.original,
        horario: new Date().toISOString(),
      });
    },
  };

  async function answer({ method, path, headers, body }: Request): Promise<Answer> {
    if (path === "/oauth/token") {
      return headers.authorization === basic
        ? { body: { access_token: token, token_type: "Bearer", expires_in: 3_600 } }
        : { status: 401, body: { error_description: "Invalid or inactive credentials" } };
    }
    if (headers.authorization !== `Bearer ${token}`) return { status: 401, body: {} };
    const [, , kind = "", id = "", more] = path.split("/");
    if (kind === "webhook") {
      stub.webhooks.push({
        chave: decodeURIComponent(id),
        url: (body as { webhookUrl: string }).webhookUrl,
      });
      return { body };
    }
    if (kind === "loc" && more === "qrcode") return { body: { qrcode: `000201-loc-${id}` } };
    if (kind !== "cob") return { status: 404, body: { mensagem: "Recurso não encontrado" } };
    const known = charges.get(id);
    if (method === "GET") return known ? { body: known } : { status: 404, body: {} };
    if (known) return { status: 409, body: { mensagem: "Campo txid já utilizado" } };
    const wish = body as Pick<EfiCharge, "chave" | "valor" | "solicitacaoPagador"> & {
      calendario: { expiracao: number };
    };
    const charge: EfiCharge = {
      ...{ ...wish, txid: id, status: "ATIVA", loc: { id: charges.size + 1 }, pix: [] },
      calendario: { ...wish.calendario, criacao: new Date().toISOString() },
    };
    charges.set(id, charge);
    if (stub.isSlow) {
      stub.isSlow = false;
      await new Promise((resolve) => setTimeout(resolve, 1_500));
    }
    return { status: 201, body: charge };
  }

  stub.url = await serve(answer, client.certificate);
  return stub;
}

export type AsaasStub = {
  url: string;
  apiKey: string;
  codes: { id: string; addressKey: string; value: number }[];
  webhooks: { url: string }[];
  pay(id: string, value: number): void;
};

/** The part of Asaas that the product uses: static PIX codes, payments by code, notifications. */
export async function startAsaasStub(): Promise<AsaasStub> {
  const payments: { id: string; status: string; value: number; pixQrCodeId: string }[] = [];
  const stub: AsaasStub = {
    ...{ url: "", apiKey: "$aact_stub_0001", codes: [], webhooks: [] },
    pay: (pixQrCodeId, value) =>
      payments.push({ id: `pay_${payments.length}`, status: "RECEIVED", value, pixQrCodeId }),
  };
  stub.url = await serve(async ({ method, path, headers, body }) => {
    if (headers["access_token"] !== stub.apiKey) {
      const errors = [{ code: "invalid_access_token", description: "A chave de API é inválida" }];
      return { status: 401, body: { errors } };
    }
    const url = new URL(path, "https://asaas");
    if (url.pathname === "/v3/webhooks") {
      if (method === "POST") stub.webhooks.push(body as { url: string });
      return { body: { data: stub.webhooks } };
    }
    if (url.pathname === "/v3/payments") {
      const id = url.searchParams.get("pixQrCodeId");
      return { body: { data: payments.filter(({ pixQrCodeId }) => pixQrCodeId === id) } };
    }
    const id = `QR${stub.codes.length}`;
    stub.codes.push({ ...(body as Omit<AsaasStub["codes"][number], "id">), id });
    // Long enough for another call to come meanwhile.
    await new Promise((resolve) => setTimeout(resolve, 150));
    return { body: { id, payload: `000201-${id}` } };
  });
  return stub;
}
