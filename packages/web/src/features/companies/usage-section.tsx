import type { ManagedCompany } from "@balcao/contract";
import type { ReactNode } from "react";
import { formatNumber } from "../../i18n/format.ts";
import { currentLanguage, useTranslation } from "../../i18n/index.ts";
import { localeTags } from "../../i18n/languages.ts";
import { agoWords } from "../../ui/ago-words.ts";
import { useNow } from "../../ui/clock.ts";
import { FieldGroup } from "../../ui/field-group.tsx";
import { dayOf } from "./api.ts";
import classes from "./companies.module.css";

export type Limits = Pick<ManagedCompany["plan"], "users" | "connections" | "queues">;

export const limitsUsed = (company: ManagedCompany): Limits => ({
  users: company.users,
  connections: company.connections.length,
  queues: company.queues,
});

export const limitedParts = ["users", "connections", "queues"] as const;

const READ_EVERY_MS = 60_000;

/** What a company uses: of the limits of its plan, and in this month. */
export function UsageSection({ company }: { company: ManagedCompany }): ReactNode {
  const { t } = useTranslation();
  const nowMs = useNow(READ_EVERY_MS);
  const used = limitsUsed(company);
  const { plan, usage, lastSeenAt, timeZone } = company;
  const month = monthName(nowMs, timeZone);
  return (
    <FieldGroup legend={t("companies.use")} help={t("companies.monthSoFar", { month })}>
      <dl className={classes["use"]}>
        {limitedParts.map((part) => (
          <div key={part}>
            <dt>{t(`companies.${part}`)}</dt>
            <dd>
              <span>
                <strong>{formatNumber(used[part])}</strong>{" "}
                {t("companies.ofLimit", { limit: formatNumber(plan[part]) })}
              </span>
              <Meter used={used[part]} of={plan[part]} />
            </dd>
          </div>
        ))}
        <div>
          <dt>{t("companies.files")}</dt>
          <dd>
            <strong>{usage.countedAt === null ? "–" : gigabytes(usage.fileBytes)}</strong>
          </dd>
        </div>
      </dl>
      <p className="bc-small">
        {usage.countedAt === null
          ? t("companies.notCounted")
          : t("companies.messageUse", {
              count: usage.messages,
              messages: formatNumber(usage.messages),
              media: formatNumber(usage.media),
            })}{" "}
        {lastSeenAt === null
          ? t("companies.noActivity")
          : t("companies.lastActivity", { ago: agoWords(t, lastSeenAt, nowMs) })}
      </p>
    </FieldGroup>
  );
}

/** How much of a limit is used. The numbers stand beside it. */
export function Meter({ used, of }: { used: number; of: number }): ReactNode {
  const percent = of === 0 ? 100 : Math.min(100, (100 * used) / of);
  return (
    <span className={classes["meter"]} data-full={used >= of || undefined} aria-hidden="true">
      <span style={{ width: `${percent}%` }} />
    </span>
  );
}

/** "7,8 GB", always with one decimal, so that a column of them can be compared. */
export function gigabytes(bytes: number): string {
  const style = { style: "unit", unit: "gigabyte", minimumFractionDigits: 1 } as const;
  const rounded = { ...style, maximumFractionDigits: 1 };
  return new Intl.NumberFormat(localeTags[currentLanguage()], rounded).format(bytes / 1e9);
}

/** "novembro": the month of a moment in a time zone, or some months earlier. */
export function monthName(nowMs: number, timeZone: string, earlier = 0): string {
  const [year = 0, month = 1] = dayOf(new Date(nowMs).toISOString(), timeZone)
    .split("-")
    .map(Number);
  const style = { month: "long", timeZone: "UTC" } as const;
  return new Intl.DateTimeFormat(localeTags[currentLanguage()], style).format(
    Date.UTC(year, month - 1 - earlier, 15),
  );
}
