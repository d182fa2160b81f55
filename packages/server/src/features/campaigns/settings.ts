import type {
  CampaignSettingRow,
  CampaignSettings,
  CompanyId,
  DayLimit,
  HolidayCalendar,
  SendingRules,
} from "@balcao/contract";
import { campaignSettings, defaultCampaignSettings, limitOn, localDay } from "@balcao/contract";
import { eq } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { requireRow } from "../../platform/db/records.ts";
import { campaignSettingRows, companies } from "../../platform/db/schema/index.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import { isPersonVariable } from "./texts.ts";

export type SettingsDeps = {
  db: Database;
  clock: Clock;
  realtime: Realtime;
  domainEvents: DomainEvents;
};

/** The company's settings of campaigns; what is missing, or was stored in a form that is no longer known, has its default. */
export async function readSettings(ctx: Pick<Ctx, "companyId">, tx: Tx): Promise<CampaignSettings> {
  return toSettings(await readRows(ctx, tx));
}

type StoredRow = typeof campaignSettingRows.$inferSelect;

const readRows = ({ companyId }: Pick<Ctx, "companyId">, tx: Tx): Promise<StoredRow[]> =>
  tx.orm
    .select()
    .from(campaignSettingRows)
    .where(eq(campaignSettingRows.companyId, companyId))
    .orderBy(campaignSettingRows.id);

const keys = Object.keys(defaultCampaignSettings);

function toSettings(rows: readonly Pick<StoredRow, "key" | "value">[]): CampaignSettings {
  const known = rows.filter(({ key }) => keys.includes(key));
  const stored: unknown = Object.fromEntries(
    known.map(({ key, value }): [string, unknown] => [key, JSON.parse(value)]),
  );
  return campaignSettings.parse(Object.assign({}, defaultCampaignSettings, stored));
}

/** The rules of pace of a company (contract, `campaign-pace`). */
export async function readRules(
  { companyId }: Pick<Ctx, "companyId">,
  tx: Tx,
  settings: CampaignSettings,
): Promise<SendingRules> {
  const { timeZone, holidays } = companies;
  const rows = await tx.orm
    .select({ timeZone, holidays })
    .from(companies)
    .where(eq(companies.id, companyId));
  return rulesOf(settings, requireRow(rows));
}

/** The same where the company's clock and calendar are known. */
function rulesOf(
  settings: CampaignSettings,
  { timeZone, holidays }: { timeZone: string; holidays: HolidayCalendar },
): SendingRules {
  const { messageInterval, longerIntervalAfter, greaterInterval, varies, hours } = settings;
  return {
    ...{ messageInterval, longerIntervalAfter, greaterInterval, varies, hours, timeZone },
    holidays: settings.pausesOnHolidays ? holidays : null,
  };
}

/** What decides how many people a connection may write to by day. */
export type LimitedLine = {
  channel: string;
  inUseSince: string;
  /** Of the official API: Meta's limit, which somebody has read there. */
  fixedLimit: number | null;
};

export const isOfficial = ({ channel }: Pick<LimitedLine, "channel">): boolean =>
  channel === "cloud-api";

/** How many people a connection may write to on a day `YYYY-MM-DD`. */
export function limitOfLine(
  line: LimitedLine,
  { limitsByDay }: Pick<CampaignSettings, "limitsByDay">,
  day: string,
): DayLimit {
  if (isOfficial(line)) return { new: ofMeta(line.fixedLimit), known: null };
  return limitsByDay ? limitOn(day, line) : { new: null, known: null };
}

/** Of Meta's limit, which all numbers of the account share, nine tenths. */
const ofMeta = (most: number | null): number | null =>
  most === null ? null : Math.floor(most * 0.9);

/** The settings as rows (wire-contract 5.15); those that nobody stored have the id 0. */
export async function listSettings(
  { db }: SettingsDeps,
  ctx: UserCtx,
): Promise<CampaignSettingRow[]> {
  return toWire(ctx.companyId, await db.transaction(ctx, (tx) => readRows(ctx, tx)));
}

function toWire(companyId: CompanyId, rows: readonly StoredRow[]): CampaignSettingRow[] {
  const settings = toSettings(rows);
  return Object.entries(settings).map(([key, value]) => {
    const id = rows.find((row) => row.key === key)?.id ?? 0;
    return { id, key, value: JSON.stringify(value), companyId };
  });
}

/** Stores the settings that are sent; throws ERR_CAMPAIGN_VARIABLE for a shortcut that is taken. */
export async function saveSettings(
  { db, clock, realtime, domainEvents }: SettingsDeps,
  ctx: UserCtx,
  changes: { [Key in keyof CampaignSettings]?: CampaignSettings[Key] | undefined },
): Promise<CampaignSettingRow[]> {
  const shortcuts = changes.variables?.map(({ key }) => key) ?? [];
  const taken = shortcuts.filter(
    (key, place) => isPersonVariable(key) || shortcuts.indexOf(key) !== place,
  );
  if (taken.length > 0) throw new DomainError("ERR_CAMPAIGN_VARIABLE", { names: taken });
  const { companyId } = ctx;
  const entries = Object.entries(changes).filter(([, value]) => value !== undefined);
  return db.transaction(ctx, async (tx) => {
    const values = entries.map(([, value]) => JSON.stringify(value));
    const names = entries.map(([key]) => key);
    await tx.query(saveStatement, [companyId, names, values, clock.now()]);
    await domainEvents.publish(tx, ctx, "campaign.settingsChanged", { connectionId: null });
    const record = toWire(companyId, await readRows(ctx, tx));
    tx.onCommit(() =>
      realtime.publish(companyId, "campaignSettings", { action: "create", record }, [
        rooms.main(companyId),
      ]),
    );
    return record;
  });
}

const saveStatement = {
  name: "campaigns.save-settings",
  text: `
insert into campaign_settings (company_id, key, value, updated_at)
select $1::int, key, value, $4::timestamptz from unnest($2::text[], $3::text[]) as given(key, value)
on conflict (company_id, key) do update set value = excluded.value, updated_at = excluded.updated_at`,
};

/** SQL: since when a connection is in use, by the date `YYYY-MM-DD`; `n` is its line or nothing, `w` the connection. */
export const inUseSinceText = (n: string, w: string): string =>
  `coalesce(${n}.in_use_since, ${w}.created_at::date)::text`;

/** The company's day. */
export const today = (rules: Pick<SendingRules, "timeZone">, now: Date): string =>
  localDay(now, rules.timeZone);
