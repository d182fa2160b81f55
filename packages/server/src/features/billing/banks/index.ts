import { addSeconds } from "date-fns/addSeconds";
import { DomainError } from "../../../platform/context.ts";
import { pixCode } from "../pix-code.ts";
import { createAsaas } from "./asaas.ts";
import type { BankSettings } from "./bank-call.ts";
import { createEfi } from "./efi.ts";
import type { Banks } from "./port.ts";
import { CHARGE_SECONDS } from "./port.ts";

export type { BankSettings } from "./bank-call.ts";
export type { Banks } from "./port.ts";

/** No bank knows this key, so nobody pays a charge of the simulated bank by mistake. */
const NOBODYS_KEY = "teste@balcao.invalid";

export function createBanks(settings: BankSettings): Banks {
  return {
    simulated: {
      createCharge: async ({ receiver, city }, { now, txid, valueCents }) => ({
        code: pixCode({ txid, valueCents, receiver, city, key: NOBODYS_KEY }),
        expiresAt: addSeconds(now, CHARGE_SECONDS),
      }),
    },
    "by-hand": {
      async createCharge({ receiver, city, pixKey }, { txid, valueCents }) {
        if (pixKey === "") throw new DomainError("ERR_PIX_KEY_MISSING");
        const code = pixCode({ txid, valueCents, receiver, city, key: pixKey });
        return { code, expiresAt: null };
      },
    },
    efi: createEfi(settings),
    asaas: createAsaas(settings),
  };
}
