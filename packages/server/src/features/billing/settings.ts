import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import type {
  AsaasAccess,
  BillingSettings,
  BillingSettingsChange,
  EfiAccess,
} from "@balcao/contract";
import { DomainError } from "../../platform/context.ts";
import type { Database, PreparedStatement } from "../../platform/db/database.ts";
import { billingSettings } from "../../platform/db/schema/index.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { Clock, Random } from "../../platform/sources.ts";
import type { Banks } from "./banks/index.ts";
import { clientCertificate } from "./banks/efi.ts";
import type { Receiver } from "./banks/port.ts";

export type SettingsDeps = {
  db: Database;
  clock: Clock;
  random: Random;
  seal: Seal;
  banks: Banks;
  /** The installation's address for others, without slash at its end; null when nobody said it. */
  publicUrl: string | null;
};

/** The sealed part of the settings. `notifyKey` is the secret part of the address for notifications. */
type Secrets = { efi: EfiAccess | null; asaas: AsaasAccess | null; notifyKey: string };

type Stored = Pick<BillingSettings, "bank" | "receiver" | "city" | "pixKey" | "contact">;

/** The settings as the billing uses them. */
export type Payee = Stored & Receiver & { notifyKey: string };

const PURPOSE = "billing settings";

/** Without settings, companies pay at the simulated bank, to the name of the provider. */
export async function readPayeeAcrossCompanies({
  db,
  seal,
}: Pick<SettingsDeps, "db" | "seal">): Promise<Payee> {
  const [row] = await db.readAcrossCompanies<Stored & { secrets: Buffer | null }>(
    settingsStatement,
    [],
  );
  const { secrets: sealed, ...stored } = row ?? {
    ...{ bank: "simulated" as const, receiver: "", city: "", pixKey: "", contact: "" },
    secrets: null,
  };
  const none: Secrets = { efi: null, asaas: null, notifyKey: "" };
  const secrets = sealed ? (JSON.parse(seal.open(sealed, PURPOSE).toString()) as Secrets) : none;
  return { ...stored, ...secrets };
}

/** The settings as super users see them, without secrets. */
export function shownSettings(
  { publicUrl }: Pick<SettingsDeps, "publicUrl">,
  { efi, asaas, notifyKey, ...payee }: Payee,
): BillingSettings {
  const { bank, receiver, city, pixKey, contact } = payee;
  return {
    ...{ bank, receiver, city, pixKey, contact },
    efi: efi && {
      ...{ clientId: efi.clientId, sandbox: efi.sandbox },
      certificateUntil: certificateEnd(efi)?.toISOString() ?? null,
    },
    asaas: asaas && { keyEnd: asaas.apiKey.slice(-4), sandbox: asaas.sandbox },
    notifyUrl: notifyUrlOf(publicUrl, notifyKey),
  };
}

/** Saves what is sent; credentials that are not sent stay. A certificate that cannot be used is refused with its reason. */
export async function saveSettingsAcrossCompanies(
  deps: SettingsDeps,
  { efi, asaas, pixKey: pix, ...stored }: BillingSettingsChange,
): Promise<BillingSettings> {
  const { db, clock, random, seal } = deps;
  const before = await readPayeeAcrossCompanies(deps);
  if (efi) requireCertificate(efi, clock.now());
  const secrets: Secrets = {
    efi: efi ?? before.efi,
    asaas: asaas ?? before.asaas,
    notifyKey: before.notifyKey === "" ? random.hex(24) : before.notifyKey,
  };
  const { bank } = stored;
  if (bank !== "simulated" && pix === "") throw new DomainError("ERR_PIX_KEY_MISSING");
  if ((bank === "efi" || bank === "asaas") && secrets[bank] === null) {
    throw new DomainError("ERR_BANK_ACCESS_MISSING");
  }
  const values = {
    ...{ ...stored, pixKey: pix, updatedAt: clock.now() },
    secrets: seal.close(Buffer.from(JSON.stringify(secrets)), PURPOSE),
  };
  await db.acrossCompanies((tx) =>
    tx.orm
      .insert(billingSettings)
      .values({ id: 1, ...values })
      .onConflictDoUpdate({ target: billingSettings.id, set: values }),
  );
  return shownSettings(deps, await readPayeeAcrossCompanies(deps));
}

/** Asks the bank whether it takes the credentials, and tells it where to notify. */
export async function testBankAcrossCompanies(
  deps: SettingsDeps,
): Promise<{ notifyUrl: string | null }> {
  const payee = await readPayeeAcrossCompanies(deps);
  const url = notifyUrlOf(deps.publicUrl, payee.notifyKey);
  // Banks notify over https alone.
  const notifyUrl = url?.startsWith("https:") ? url : null;
  await deps.banks[payee.bank].check?.(payee, notifyUrl);
  return { notifyUrl };
}

function notifyUrlOf(publicUrl: string | null, notifyKey: string): string | null {
  if (publicUrl === null || notifyKey === "") return null;
  return `${publicUrl}/api/subscription/webhook/${notifyKey}`;
}

/** Throws ERR_BANK_CERTIFICATE. */
function requireCertificate(access: EfiAccess, now: Date): void {
  try {
    createSecureContext(clientCertificate(access.certificate, access.passphrase));
  } catch (error) {
    const words = String(error);
    const isOld = words.includes("Unsupported PKCS12");
    const isPassphrase = /mac verify failure|bad decrypt|bad password/i.test(words);
    const reason = isPassphrase ? "passphrase" : "unreadable";
    throw new DomainError("ERR_BANK_CERTIFICATE", { reason: isOld ? "old" : reason });
  }
  const end = certificateEnd(access);
  if (end && end <= now) throw new DomainError("ERR_BANK_CERTIFICATE", { reason: "expired" });
}

/** When the certificate ends; null when it does not say. */
function certificateEnd({ certificate, passphrase }: EfiAccess): Date | null {
  const { context } = createSecureContext(clientCertificate(certificate, passphrase));
  // Node does not document it; a p12 file is read by nothing else here.
  const read = (context as { getCertificate?(): Buffer | null }).getCertificate?.();
  return read ? new X509Certificate(read).validToDate : null;
}

const settingsStatement: PreparedStatement = {
  name: "billing.settings",
  text: `
select coalesce(s.bank, 'simulated') as bank, coalesce(nullif(s.receiver, ''), c.name) as receiver,
  coalesce(s.city, '') as city, coalesce(s.pix, '') as "pixKey", coalesce(s.contact, '') as contact, s.secrets
from companies c
left join billing_settings s on s.id = 1
where exists (select from users u where u.company_id = c.id and u.super and u.deleted_at is null)
order by c.id limit 1`,
};
