import type { CompanyId, SettingKey, WhaticketRowKind } from "@balcao/contract";
import {
  isSettingKey,
  limits,
  profiles,
  recurrences,
  scheduleEntries,
  settingRule,
} from "@balcao/contract";
import { hashPassword } from "../../features/auth/index.ts";
import { storedSetting } from "../../features/settings/index.ts";
import type { Item, Move } from "./bring.ts";
import { add, bring, distinct, pairOf } from "./bring.ts";
import type { Tally } from "./report.ts";
import type { Source } from "./source.ts";
import type { Target } from "./target.ts";
import type { SourceRow } from "./values.ts";
import { boolOf, centsOf, dateOf, idOf, intOf, jsonOf, textOf } from "./values.ts";

const SUSPENDED = "Importação em andamento";

export const dates = (row: SourceRow) => {
  const created = dateOf(row["createdAt"]) ?? dateOf(row["updatedAt"]) ?? new Date(0);
  return { created_at: created, updated_at: dateOf(row["updatedAt"]) ?? created };
};

/** The id here of a row that a column refers to; null and noted when it points nowhere. */
export function refer(
  move: Move,
  kind: WhaticketRowKind,
  of: string,
  row: SourceRow,
  column: string,
): number | null {
  const id = idOf(row[column]);
  if (id === null) return null;
  const found = move.ids(of).get(id);
  if (found === undefined) move.tally.problem(kind, "referenceMissing", row["id"], { column });
  return found ?? null;
}

/** Creates the company, suspended until its conversations are whole; or finds it from an earlier run. */
export async function bringCompany(
  { source, target, tally }: { source: Source; target: Target; tally: Tally },
  row: SourceRow,
  { prefix, planId }: { prefix: string; planId: number },
): Promise<{ id: CompanyId; name: string; isNew: boolean }> {
  const from = row["id"] ?? "";
  const [before] = await target.read<{ id: number; name: string }>(
    `select c.id, c.name from import_ids i join companies c on c.id = i.company_id
     where i.source = $1 and i.kind = 'company' and i.source_id = $2`,
    [source.id, from],
  );
  if (before) return { id: before.id as CompanyId, name: before.name, isNew: false };
  const names = await target.read<{ name: string }>("select lower(name) as name from companies");
  const wanted = `${prefix}${textOf(row["name"], limits.nameMax * 4).trim() || `Empresa ${from}`}`;
  const name = distinct(wanted, new Set(names.map((one) => one.name)));
  if (name !== wanted) tally.problem("company", "nameTaken", from, { name });
  const [id = -1] = await target.reserve("companies", 1);
  await target.transaction(async (load) => {
    await load.add("companies", [
      {
        ...{ id, name, email: textOf(row["email"], limits.emailMax).trim(), plan_id: planId },
        ...{
          phone: textOf(row["phone"], 50).trim() || null,
          status: false,
          suspension_reason: SUSPENDED,
        },
        due_date: dateOf(row["dueDate"]),
        recurrence: recurrences.find((one) => one === row["recurrence"]?.toUpperCase()) ?? "MENSAL",
        schedules: JSON.stringify(hoursOf(tally, "company", row)),
        ...dates(row),
      },
    ]);
    await load.add("import_ids", [
      { company_id: id, source: source.id, kind: "company", source_id: from, new_id: id },
    ]);
  });
  return { id: id as CompanyId, name, isNew: true };
}

/** Opening hours in the product's shape; none when they cannot be read. */
export function hoursOf(tally: Tally, kind: WhaticketRowKind, row: SourceRow): unknown[] {
  const value = jsonOf(row["schedules"]);
  // Some forks keep the JSON as a text inside the JSON.
  const parsed = scheduleEntries.safeParse(
    typeof value === "string" ? jsonOf(value) : (value ?? []),
  );
  if (parsed.success) return parsed.data;
  tally.problem(kind, "hoursUnreadable", row["id"]);
  return [];
}

/** The plan with the same name and limits, or a new one that is not offered to visitors. */
export async function bringPlan(
  target: Target,
  tally: Tally,
  row: SourceRow | undefined,
): Promise<number> {
  const flag = (column: string): boolean => boolOf(row?.[column], true);
  const count = (column: string): number => intOf(row?.[column], 10, 0, limits.planCountMax);
  const values = {
    ...{ users: count("users"), connections: count("connections"), queues: count("queues") },
    value_cents: centsOf(row?.["value"]),
    ...{
      use_campaigns: flag("useCampaigns"),
      use_kanban: flag("useKanban"),
      use_open_ai: flag("useOpenAi"),
    },
    ...{ use_integrations: flag("useIntegrations"), use_schedules: flag("useSchedules") },
    ...{ use_internal_chat: flag("useInternalChat"), use_external_api: flag("useExternalApi") },
  };
  const wanted = textOf(row?.["name"], limits.nameMax).trim() || "Whaticket";
  const plans = await target.read<{ id: number; name: string } & typeof values>(
    `select id, name, ${Object.keys(values).join(", ")} from plans order by id`,
  );
  const same = plans.find(
    (plan) =>
      plan.name.replace(/ \(\d+\)$/, "") === wanted &&
      Object.entries(values).every(
        ([column, value]) => plan[column as keyof typeof values] === value,
      ),
  );
  if (same) return same.id;
  const name = distinct(wanted, new Set(plans.map((plan) => plan.name.toLowerCase())));
  if (name !== wanted) tally.problem("plan", "nameTaken", row?.["id"], { name });
  const [id = -1] = await target.reserve("plans", 1);
  await target.transaction((load) =>
    load.add("plans", [{ id, name, ...values, use_internal: false }]),
  );
  return id;
}

export async function bringSettings(move: Move): Promise<void> {
  const { source, seal, companyId, tally } = move;
  const rows = new Map<SettingKey, string>();
  for (const row of await source.all("settings", move.from)) {
    const key = row["key"] ?? "";
    const value = textOf(row["value"], 20_000);
    const rule = isSettingKey(key) ? settingRule(key) : null;
    if (!isSettingKey(key) || rule === null || rule.provider === true) {
      tally.problem("setting", "settingUnknown", key);
    } else if (rule.values !== undefined && !rule.values.includes(value)) {
      tally.problem("setting", "settingValueUnknown", key);
    } else {
      rows.set(key, storedSetting(seal, companyId, key, value));
    }
  }
  await add(
    move,
    "setting",
    "settings",
    [...rows].map(([key, value]) => ({ key, value })),
  );
}

/** Accounts with their old password hashes, none of them a super user of this installation. */
export async function bringUsers(move: Move): Promise<void> {
  const { target, tally } = move;
  const rows = await move.source.all("users", move.from);
  const emails = rows.map((row) => emailOf(row));
  const used = await target.read<{ email: string }>(
    "select email from users where deleted_at is null and email = any($1)",
    [emails],
  );
  const taken = new Set(used.map(({ email }) => email));
  const nobodyKnows = await hashPassword(move.sources.random.hex(32).slice(0, limits.passwordMax));
  const known = move.ids("user");
  const items = rows.map((row): Item => {
    const id = row["id"] ?? "";
    const wanted = emailOf(row);
    let email = wanted;
    for (let n = 1; taken.has(email) && !known.has(id); n += 1)
      email = wanted.replace("@", `+${move.from}${n > 1 ? `-${n}` : ""}@`);
    taken.add(email);
    if (email !== wanted)
      tally.problem("user", "emailTaken", id, { email: wanted, newEmail: email });
    if (boolOf(row["super"])) tally.problem("user", "superUserDropped", id);
    const hash = row["passwordHash"] ?? "";
    const isUsable = /^\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}$/.test(hash);
    if (!isUsable) tally.problem("user", "passwordUnusable", id);
    return {
      id,
      values: {
        ...{ email, name: textOf(row["name"], limits.nameMax).trim() || email },
        password_hash: isUsable ? hash : nobodyKnows,
        profile: profiles.find((profile) => profile === row["profile"]) ?? "user",
        all_ticket: /^enabled?$/.test(row["allTicket"] ?? "") ? "enabled" : "desabled",
        connection_id: refer(move, "user", "connection", row, "whatsappId"),
        ...dates(row),
      },
    };
  });
  await bring(move, "user", "users", items);
  const pairs = (await move.source.all("userQueues", move.from)).flatMap((row) =>
    pairOf(move.ids("user"), row["userId"], move.ids("queue"), row["queueId"]).map(
      ([user, queue]) => ({
        ...{ user_id: user, queue_id: queue },
      }),
    ),
  );
  await add(move, "user queue", "user_queues", pairs);
}

function emailOf(row: SourceRow): string {
  const email = textOf(row["email"], limits.emailMax).trim().toLowerCase();
  return /^[^\s@]+@[^\s@]+$/.test(email) ? email : `usuario-${row["id"]}@importado.invalid`;
}
