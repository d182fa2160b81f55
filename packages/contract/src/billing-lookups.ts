import type { SettingKey } from "./setting-keys.ts";

/** The billing systems of internet providers, in the order in which customers get their answers (behaviour 7.9). */
export const billingSystems = ["mk-auth", "asaas", "ixc"] as const;
export type BillingSystem = (typeof billingSystems)[number];

/** The settings that a system needs; without one of them it is not asked. */
export const billingKeys = {
  "mk-auth": ["ipmkauth", "clientidmkauth", "clientsecretmkauth"],
  asaas: ["asaas"],
  ixc: ["ipixc", "tokenixc"],
} as const satisfies Record<BillingSystem, readonly SettingKey[]>;

/** `bill`: the second copy of a bill. `unblock`: a blocked connection is opened on trust. */
export type BillingLookup = "bill" | "unblock";

/** The names of the queues in which customers are looked up. */
export const billingQueueNames = {
  bill: ["2ª Via de Boleto", "2 Via de Boleto"],
  unblock: ["Religue de Confiança", "Liberação em Confiança"],
} as const satisfies Record<BillingLookup, readonly string[]>;

/** The systems that can do it. */
export const billingSystemsOf = {
  bill: billingSystems,
  unblock: ["ixc"],
} as const satisfies Record<BillingLookup, readonly BillingSystem[]>;

/** The look-up that a queue's name stands for, or null. Case, accents and outer blanks do not matter. */
export function billingLookupOf(queueName: string): BillingLookup | null {
  return lookups.get(fold(queueName)) ?? null;
}

/** Whether every setting of the system is among these. */
export function hasBillingKeys(system: BillingSystem, stored: readonly string[]): boolean {
  return billingKeys[system].every((key) => stored.includes(key));
}

/** Why a system did not answer. `access`: a setting is missing; `refused`: it does not accept the access data. */
export const billingFaults = [
  ...(["access", "refused-address", "no-answer", "unreachable"] as const),
  ...(["too-large", "refused", "status", "answer"] as const),
] as const;
export type BillingFault = (typeof billingFaults)[number];

function fold(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").trim().toLowerCase();
}

const lookups = new Map<string, BillingLookup>(
  (["bill", "unblock"] as const).flatMap((lookup) =>
    billingQueueNames[lookup].map((name) => [fold(name), lookup] as const),
  ),
);
