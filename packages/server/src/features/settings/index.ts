import type { CompanyId, ResultOf, Setting, SettingKey } from "@balcao/contract";
import {
  isSettingKey,
  permissionsOfProfile,
  secretMask,
  settingKeys,
  settingRule,
} from "@balcao/contract";
import { sql } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import {
  DomainError,
  hasPermission,
  requireHeld,
  requirePermission,
} from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { settings } from "../../platform/db/schema/index.ts";
import { isWebAddress } from "../../platform/http/guarded-fetch.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import { registerAutomaticTexts } from "./automatic-texts.ts";

export type { StoredTexts } from "./automatic-texts.ts";
export { readText, storedText, storedTexts, textIn } from "./automatic-texts.ts";

export type SettingsDeps = { db: Database; realtime: Realtime; seal: Seal };

/** The company's settings (wire-contract 4.6, 5.4). */
export function createSettingsFeature(deps: SettingsDeps) {
  return {
    register(routes: Routes): void {
      routes.handle("GET /settings", ({ ctx }) => listSettings(deps, ctx));
      routes.handle("GET /settings/:key", ({ params }) => showProviderSetting(deps, params.key));
      routes.handle("PUT /settings/:key", ({ ctx, params, body }) =>
        writeSetting(deps, ctx, params.key, body.value),
      );
      registerAutomaticTexts(deps, routes);
    },
  };
}

/** One setting of the caller's company, as stored or by default. For a secret one there is `readSecretSettings`. */
export async function readSetting(
  tx: Tx,
  { companyId }: Pick<Ctx, "companyId">,
  key: SettingKey,
): Promise<string> {
  return (await readValues(tx, companyId))(key);
}

/** Secret settings of a company; "" for those that are not stored. */
export async function readSecretSettings<K extends SettingKey>(
  seal: Seal,
  tx: Tx,
  { companyId }: Pick<Ctx, "companyId">,
  wanted: readonly K[],
): Promise<Record<K, string>> {
  const valueOf = await readValues(tx, companyId);
  const opened = wanted.map(
    (key) => [key, openSecret(seal, companyId, key, valueOf(key))] as const,
  );
  return Object.fromEntries(opened) as Record<K, string>; // one entry for each wanted key
}

/** Marks an encrypted value: those of older versions are not. */
const SEALED = "sealed:";
const secretPurpose = (companyId: number, key: SettingKey): string =>
  `setting ${key} of company ${companyId}`;

function sealSecret(seal: Seal, companyId: CompanyId, key: SettingKey, value: string): string {
  if (value === "") return "";
  const sealed = seal.close(Buffer.from(value), secretPurpose(companyId, key));
  return SEALED + sealed.toString("base64");
}

/** A value as the database keeps it: secrets are encrypted. */
export const storedSetting = (
  seal: Seal,
  companyId: CompanyId,
  key: SettingKey,
  value: string,
): string => (settingRule(key).secret === true ? sealSecret(seal, companyId, key, value) : value);

function openSecret(seal: Seal, companyId: CompanyId, key: SettingKey, stored: string): string {
  if (!stored.startsWith(SEALED)) return stored;
  const sealed = Buffer.from(stored.slice(SEALED.length), "base64");
  return seal.open(sealed, secretPurpose(companyId, key)).toString();
}

/** A setting of the provider's company, which is the first one with a super user. */
export async function readProviderSettingAcrossCompanies(
  { db }: Pick<SettingsDeps, "db">,
  key: SettingKey,
): Promise<string> {
  const [stored] = await db.acrossCompanies((tx) =>
    tx.query<{ value: string }>(sql`
      select value from settings where key = ${key} and company_id = (
        select company_id from users where super and deleted_at is null order by company_id limit 1)`),
  );
  return stored?.value ?? settingRule(key).default;
}

/** The settings that every user of the company may read. */
export async function readPublicSettings(
  tx: Tx,
  companyId: CompanyId,
): Promise<{ key: SettingKey; value: string }[]> {
  const valueOf = await readValues(tx, companyId);
  return publicKeys.map((key) => ({ key, value: valueOf(key) }));
}

/** The same from a company's stored rows, as the wire has them. */
export function publicSettings(
  companyId: CompanyId,
  stored: readonly { key: string; value: string }[],
): Setting[] {
  const valueOf = valuesOf(stored);
  return publicKeys.map((key) => toShownSetting(companyId, key, valueOf(key)));
}

const keys = Object.keys(settingKeys) as SettingKey[];
const publicKeys = keys.filter((key) => {
  const { secret, provider } = settingRule(key);
  return !secret && !provider;
});

/** Lists every key that the caller may see, because clients of the family crash on a missing one. */
async function listSettings({ db }: SettingsDeps, ctx: UserCtx): Promise<Setting[]> {
  const seesSecrets = hasPermission(ctx, "settings:read-secrets");
  const shown = keys.filter((key) => {
    const { secret, provider } = settingRule(key);
    return (!secret || seesSecrets) && (!provider || ctx.actor.super);
  });
  const valueOf = await db.transaction(ctx, (tx) => readValues(tx, ctx.companyId));
  return shown.map((key) => toShownSetting(ctx.companyId, key, valueOf(key)));
}

async function showProviderSetting(
  deps: SettingsDeps,
  key: string,
): Promise<ResultOf<"GET /settings/:key">> {
  if (!isSettingKey(key) || !settingRule(key).provider) {
    throw new DomainError("ERR_NO_SETTING_FOUND");
  }
  return { key, value: await readProviderSettingAcrossCompanies(deps, key) };
}

/** How people sign in, and how long the audit is kept: for users who may do all that an admin may. */
function isOfAdmins(key: SettingKey): boolean {
  return (
    ["secondFactor", "severalSessions", "newDeviceMail", "passwordMinLength", "auditDays"] as const
  ).some((one) => one === key);
}

async function writeSetting(
  { db, realtime, seal }: SettingsDeps,
  ctx: UserCtx,
  key: string,
  value: string,
): Promise<Setting> {
  const { companyId, actor } = ctx;
  if (!isSettingKey(key)) throw new DomainError("ERR_NO_SETTING_FOUND");
  const { values, secret, address, super: isForSuper, provider } = settingRule(key);
  if ((isForSuper || provider) && !actor.super) throw new DomainError("ERR_NO_PERMISSION");
  if (isOfAdmins(key)) {
    // A visitor has none of them, though the rights of an admin.
    requirePermission(ctx, "users:manage");
    requireHeld(ctx, permissionsOfProfile("admin"));
  }
  if (values && !values.includes(value)) throw refused(`must be one of ${values.join(", ")}`);
  if (secret && value.includes(secretMask)) {
    const kept = await db.transaction(ctx, (tx) => readSetting(tx, ctx, key));
    return toShownSetting(companyId, key, kept);
  }
  const text = address ? value.trim().replace(/\/+$/, "") : value;
  if (address && text !== "" && !isWebAddress(text)) throw refused("must be a web address");
  const stored = secret ? sealSecret(seal, companyId, key, text.trim()) : text;
  return db.transaction(ctx, (tx) => saveSetting({ realtime }, tx, companyId, key, stored));
}

function refused(message: string): DomainError {
  return new DomainError("ERR_INVALID_REQUEST", { issues: [{ path: "body.value", message }] });
}

/** Stores a setting, a secret one encrypted already, and tells everybody in the company who may read it. */
export async function saveSetting(
  { realtime }: Pick<SettingsDeps, "realtime">,
  tx: Tx,
  companyId: CompanyId,
  key: SettingKey,
  value: string,
): Promise<Setting> {
  const setting = toShownSetting(companyId, key, value);
  await tx.orm
    .insert(settings)
    .values({ companyId, key, value })
    .onConflictDoUpdate({
      target: [settings.companyId, settings.key],
      set: { value, updatedAt: sql`now()` },
    });
  if (publicKeys.includes(key)) {
    tx.onCommit(() => {
      const payload = { action: "update", setting } as const;
      realtime.publish(companyId, "settings", payload, [rooms.main(companyId)]);
    });
  }
  return setting;
}

/** The company's stored or default values (wire-contract 4.6). Keys of other versions may be stored too. */
async function readValues(tx: Tx, companyId: CompanyId): Promise<(key: SettingKey) => string> {
  const rows = await tx.query<{ key: string; value: string }>(storedStatement, [companyId]);
  return valuesOf(rows);
}

function valuesOf(rows: readonly { key: string; value: string }[]): (key: SettingKey) => string {
  const stored = new Map(rows.map(({ key, value }) => [key, value]));
  return (key) => stored.get(key) ?? settingRule(key).default;
}

// Prepared: changes of tickets and sign-ins read settings too.
const storedStatement = {
  name: "settings",
  text: "select key, value from settings where company_id = $1",
};

/**
 * A setting on the wire. Its id is the position of its key in the contract's table: the same in every reply and event,
 * even without a stored row. Settings are addressed by key; clients use the id only to distinguish list items.
 */
function toShownSetting(companyId: CompanyId, key: SettingKey, value: string): Setting {
  const shown = settingRule(key).secret && value !== "" ? secretMask : value;
  return { id: keys.indexOf(key) + 1, key, value: shown, companyId };
}
