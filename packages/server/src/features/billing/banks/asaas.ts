import type { AsaasAccess } from "@balcao/contract";
import { addSeconds } from "date-fns/addSeconds";
import { z } from "zod";
import { DomainError } from "../../../platform/context.ts";
import type { BankAnswer, BankCall, BankSettings } from "./bank-call.ts";
import { callBank } from "./bank-call.ts";
import type { Bank, Receiver } from "./port.ts";
import { CHARGE_SECONDS } from "./port.ts";

const PRODUCTION = "https://api.asaas.com";
const SANDBOX = "https://api-sandbox.asaas.com";

const codeReply = z.object({ id: z.string(), payload: z.string() });
const paymentsReply = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      status: z.string(),
      value: z.number(),
      pixQrCodeId: z.string().nullish(),
    }),
  ),
});
const webhooksReply = z.object({ data: z.array(z.object({ url: z.string() })) });
const refusal = z.looseObject({ errors: z.array(z.looseObject({ description: z.string() })) });

/** Payments of these states are money that the receiver has. */
const ARRIVED = new Set(["RECEIVED", "CONFIRMED", "RECEIVED_IN_CASH"]);

/** Asaas: a static PIX code of one use, which needs neither a certificate nor a customer of that bank. */
export function createAsaas(settings: BankSettings): Bank {
  function accessOf({ asaas, pixKey }: Receiver): AsaasAccess & { pixKey: string } {
    if (asaas === null) throw new DomainError("ERR_BANK_ACCESS_MISSING");
    if (pixKey === "") throw new DomainError("ERR_PIX_KEY_MISSING");
    return { ...asaas, pixKey };
  }

  async function call(
    { apiKey, sandbox }: AsaasAccess,
    { path, ...rest }: Pick<BankCall, "method" | "body"> & { path: string },
  ): Promise<unknown> {
    const base = settings.asaasUrl ?? (sandbox ? SANDBOX : PRODUCTION);
    const headers = { access_token: apiKey, "user-agent": "Balcao" };
    return accepted(await callBank(settings, { ...rest, url: `${base}/v3${path}`, headers }));
  }

  return {
    async createCharge(receiver, { txid, valueCents, detail, now }) {
      const access = accessOf(receiver);
      const body = {
        ...{ addressKey: access.pixKey, description: detail.slice(0, 37) },
        ...{ value: valueCents / 100, format: "PAYLOAD", expirationSeconds: CHARGE_SECONDS },
        ...{ allowsMultiplePayments: false, externalReference: txid },
      };
      const made = codeReply.parse(
        await call(access, { method: "POST", path: "/pix/qrCodes/static", body }),
      );
      return { code: made.payload, bankId: made.id, expiresAt: addSeconds(now, CHARGE_SECONDS) };
    },

    async arrivedFor(receiver, { bankId, now }) {
      if (bankId === null) return [];
      const path = `/payments?pixQrCodeId=${encodeURIComponent(bankId)}`;
      const answer = await call(accessOf(receiver), { method: "GET", path });
      return (
        paymentsReply
          .parse(answer)
          .data.filter(({ status, pixQrCodeId }) => ARRIVED.has(status) && pixQrCodeId === bankId)
          // The bank tells only the day of a payment.
          .map(({ id, value }) => ({
            transferId: id,
            valueCents: Math.round(value * 100),
            receivedAt: now,
          }))
      );
    },

    async check(receiver, notifyUrl) {
      const access = accessOf(receiver);
      const known = webhooksReply.parse(await call(access, { method: "GET", path: "/webhooks" }));
      if (notifyUrl === null || known.data.some(({ url }) => url === notifyUrl)) return;
      const body = {
        ...{ name: "Balcão", url: notifyUrl, enabled: true, interrupted: false, apiVersion: 3 },
        ...{ sendType: "SEQUENTIALLY", events: ["PAYMENT_RECEIVED", "PAYMENT_CONFIRMED"] },
      };
      await call(access, { method: "POST", path: "/webhooks", body });
    },
  };
}

function accepted({ status, body }: BankAnswer): unknown {
  if (status < 400) return body;
  const words = refusal.safeParse(body).data?.errors[0]?.description ?? "";
  throw new DomainError("ERR_BANK_REFUSED", { words: words.slice(0, 200) });
}
