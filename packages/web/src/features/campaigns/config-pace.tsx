import type { CampaignSettings } from "@balcao/contract";
import { greaterIntervals, messageIntervals } from "@balcao/contract/campaign-choices";
import { gapBefore } from "@balcao/contract/campaign-pace";
import { NativeSelect } from "@mantine/core";
import { IconActivity } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { formatNumber } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import type { CardProps } from "./campaigns-config-page.tsx";
import { Card } from "./config-card.tsx";
import classes from "./config.module.css";

/** Intervals, and what they come to. */
export function PaceCard({ value, change }: CardProps): ReactNode {
  const { t } = useTranslation();
  const { messageInterval, longerIntervalAfter, greaterInterval, varies } = value;
  const seconds = (one: number): string =>
    one === 0 ? t("campaignConfig.pace.none") : t("campaignConfig.pace.seconds", { count: one });
  const after = (one: number): string =>
    one === 0 ? t("campaignConfig.pace.never") : t("campaignConfig.pace.messages", { count: one });
  const hasNone = messageInterval === 0 || (longerIntervalAfter > 0 && greaterInterval === 0);
  return (
    <Card title={t("campaignConfig.pace.title")} text={t("campaignConfig.pace.text")}>
      <div className={classes["fields"]}>
        <NativeSelect
          label={t("campaignConfig.pace.between")}
          value={String(messageInterval)}
          data={choices(messageIntervals, messageInterval, seconds)}
          onChange={({ currentTarget }) => change({ messageInterval: Number(currentTarget.value) })}
        />
        <NativeSelect
          label={t("campaignConfig.pace.after")}
          value={String(longerIntervalAfter)}
          data={choices(greaterIntervals, longerIntervalAfter, after)}
          onChange={({ currentTarget }) =>
            change({ longerIntervalAfter: Number(currentTarget.value) })
          }
        />
        <NativeSelect
          label={t("campaignConfig.pace.greater")}
          value={String(greaterInterval)}
          data={choices(greaterIntervals, greaterInterval, seconds)}
          onChange={({ currentTarget }) => change({ greaterInterval: Number(currentTarget.value) })}
        />
        <NativeSelect
          label={t("campaignConfig.pace.variation")}
          value={varies ? "on" : ""}
          data={[
            { value: "", label: t("campaignConfig.pace.fixed") },
            { value: "on", label: t("campaignConfig.pace.varies") },
          ]}
          onChange={({ currentTarget }) => change({ varies: currentTarget.value === "on" })}
        />
      </div>
      <p className={classes["sum"]} role="status">
        <IconActivity size={17} stroke={1.7} aria-hidden="true" />
        <span>
          {paceWords(t, value)}
          {hasNone ? ` ${t("campaignConfig.pace.fastest")}` : null}
        </span>
      </p>
    </Card>
  );
}

/** The choices; a stored value of another client stands among them. */
function choices(
  offered: readonly number[],
  value: number,
  label: (one: number) => string,
): { value: string; label: string }[] {
  const all = offered.includes(value) ? offered : [...offered, value].toSorted((a, b) => a - b);
  return all.map((one) => ({ value: String(one), label: label(one) }));
}

/** Varying intervals count with their mean. */
const MEAN = 0.5;
const HOUR_MS = 3_600_000;
const SAMPLE = 1_000;

function paceWords(t: TFunction, settings: CampaignSettings): string {
  const rules = { ...settings, hours: null, holidays: null, timeZone: "UTC" };
  const { longerIntervalAfter: first } = settings;
  const shortMs = gapBefore(0, rules, MEAN);
  const isLonger = first > 0 && first < SAMPLE;
  const longMs = isLonger ? gapBefore(first, rules, MEAN) : shortMs;
  const thousandMs = isLonger ? first * shortMs + (SAMPLE - first) * longMs : SAMPLE * shortMs;
  const values = {
    rate: formatNumber(Math.round(HOUR_MS / longMs)),
    thousand: spanWords(t, thousandMs),
  };
  if (!isLonger || longMs === shortMs) return t("campaignConfig.pace.sumEven", values);
  return t("campaignConfig.pace.sum", {
    ...values,
    count: first,
    span: spanWords(t, first * shortMs),
  });
}

/** "7 min", "18 horas", "4 dias". */
function spanWords(t: TFunction, ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  if (minutes < 100) return t("campaignConfig.span.minutes", { count: minutes });
  const hours = Math.round(ms / HOUR_MS);
  if (hours <= 72) return t("campaignConfig.span.hours", { count: hours });
  return t("campaignConfig.span.days", { count: Math.round(hours / 24) });
}
