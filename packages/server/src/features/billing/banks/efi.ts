import type { EfiAccess } from "@balcao/contract";
import { addSeconds } from "date-fns/addSeconds";
import { parseISO } from "date-fns/parseISO";
import { z } from "zod";
import { DomainError } from "../../../platform/context.ts";
import type { BankAnswer, BankCall, BankSettings } from "./bank-call.ts";
import { callBank } from "./bank-call.ts";
import type { Bank, Receiver } from "./port.ts";
import { CHARGE_SECONDS } from "./port.ts";

const PRODUCTION = "https://pix.api.efipay.com.br";
const SANDBOX = "https://pix-h.api.efipay.com.br";

const tokenReply = z.object({ access_token: z.string() });
const chargeReply = z.object({
  status: z.string(),
  chave: z.string(),
  loc: z.object({ id: z.number() }),
  calendario: z.object({ criacao: z.string(), expiracao: z.number() }),
  pix: z
    .array(z.object({ endToEndId: z.string(), valor: z.string(), horario: z.string() }))
    .default([]),
});
const codeReply = z.object({ qrcode: z.string() });
const refusal = z.looseObject({
  mensagem: z.string().optional(),
  error_description: z.string().optional(),
  detail: z.string().optional(),
});

type Call = Pick<BankCall, "method" | "body"> & { path: string };

/** Efí (Gerencianet): OAuth over mutual TLS, `cob` by our txid (behaviour 9.5). */
export function createEfi(settings: BankSettings): Bank {
  function accessOf({ efi, pixKey }: Receiver): EfiAccess & { pixKey: string } {
    if (efi === null) throw new DomainError("ERR_BANK_ACCESS_MISSING");
    if (pixKey === "") throw new DomainError("ERR_PIX_KEY_MISSING");
    return { ...efi, pixKey };
  }

  function send(
    { sandbox, certificate, passphrase }: EfiAccess,
    { path, ...call }: Call,
    headers: Record<string, string>,
  ): Promise<BankAnswer> {
    const base = settings.efiUrl ?? (sandbox ? SANDBOX : PRODUCTION);
    const client = clientCertificate(certificate, passphrase);
    return callBank(settings, { ...call, url: base + path, headers, certificate: client });
  }

  /** A token for the calls of one use case; it is not kept. */
  async function signIn(access: EfiAccess): Promise<(call: Call) => Promise<unknown>> {
    const basic = Buffer.from(`${access.clientId}:${access.clientSecret}`).toString("base64");
    const answer = await send(
      access,
      { method: "POST", path: "/oauth/token", body: { grant_type: "client_credentials" } },
      { authorization: `Basic ${basic}` },
    );
    const { access_token: token } = tokenReply.parse(accepted(answer));
    return async (call) =>
      accepted(
        await send(access, call, {
          authorization: `Bearer ${token}`,
          // Behind a proxy the bank's certificate does not reach us; the address has a secret, and each charge is read again.
          "x-skip-mtls-checking": "true",
        }),
      );
  }

  return {
    async createCharge(receiver, { txid, valueCents, detail, now }) {
      const access = accessOf(receiver);
      const call = await signIn(access);
      const path = `/v2/cob/${txid}`;
      const body = {
        calendario: { expiracao: CHARGE_SECONDS },
        valor: { original: (valueCents / 100).toFixed(2) },
        chave: access.pixKey,
        solicitacaoPagador: detail,
      };
      const made = await call({ method: "PUT", path, body }).catch((error: unknown) => {
        // It was made before the answer was cut off.
        if (isKnown(error)) return call({ method: "GET", path });
        throw error;
      });
      const { loc, calendario } = chargeReply.parse(made);
      const code = await call({ method: "GET", path: `/v2/loc/${loc.id}/qrcode` });
      const begin = parseISO(calendario.criacao);
      return {
        code: codeReply.parse(code).qrcode,
        expiresAt: addSeconds(Number.isNaN(begin.getTime()) ? now : begin, calendario.expiracao),
        bankId: String(loc.id),
      };
    },

    async arrivedFor(receiver, { txid }) {
      const access = accessOf(receiver);
      const call = await signIn(access);
      const { status, chave, pix } = chargeReply.parse(
        await call({ method: "GET", path: `/v2/cob/${txid}` }),
      );
      // Any client of that bank can aim a notification at us: only money for our key counts.
      if (status !== "CONCLUIDA" || chave !== access.pixKey) return [];
      return pix.map(({ endToEndId, valor, horario }) => ({
        transferId: endToEndId,
        valueCents: Math.round(Number(valor) * 100),
        receivedAt: parseISO(horario),
      }));
    },

    async check(receiver, notifyUrl) {
      const access = accessOf(receiver);
      const call = await signIn(access);
      if (notifyUrl === null) return;
      const path = `/v2/webhook/${encodeURIComponent(access.pixKey)}`;
      await call({ method: "PUT", path, body: { webhookUrl: notifyUrl } });
    },
  };
}

/** PEM text holds certificate and key, anything else is a p12 file. */
export function clientCertificate(base64: string, passphrase: string) {
  const bytes = Buffer.from(base64, "base64");
  const text = bytes.toString("latin1");
  const secret = passphrase === "" ? {} : { passphrase };
  return text.includes("-----BEGIN")
    ? { cert: text, key: text, ...secret }
    : { pfx: bytes, passphrase };
}

function accepted({ status, body }: BankAnswer): unknown {
  if (status < 400) return body;
  const said = refusal.safeParse(body).data;
  const words = said?.mensagem ?? said?.error_description ?? said?.detail ?? "";
  const error = new DomainError("ERR_BANK_REFUSED", { words: words.slice(0, 200) });
  error.cause = { status };
  throw error;
}

function isKnown(error: unknown): boolean {
  return error instanceof DomainError && (error.cause as { status?: number })?.status === 409;
}
