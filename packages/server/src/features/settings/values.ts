import type { CompanyId, Setting, SettingKey } from "@balcao/contract";
import { settingKeys, settingRule } from "@balcao/contract";

/** The rows a company has stored; keys of other versions may be among them. */
export type StoredSettings = ReadonlyMap<string, string>;

const keys = Object.keys(settingKeys) as SettingKey[];

/** All settings of the product, or all but the secret ones. */
export function keysFor(reader: "with-secrets" | "without-secrets"): SettingKey[] {
  return reader === "with-secrets" ? keys : keys.filter((key) => !settingRule(key).secret);
}

/** The stored value, else the default (wire-contract 4.6). */
export function valueOf(stored: StoredSettings, key: SettingKey): string {
  return stored.get(key) ?? settingRule(key).default;
}

/**
 * A setting on the wire. Its id is the place of its key in the contract's table: the same in every reply and event,
 * whether a row exists yet or not. Settings are addressed by key; clients use the id only to tell list items apart.
 */
export function toSetting(companyId: CompanyId, key: SettingKey, value: string): Setting {
  return { id: keys.indexOf(key) + 1, key, value, companyId };
}
