import type { Campaign, CampaignHold, CampaignLine } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { dayKey, formatNumber, formatTime } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { currentLanguage } from "../../i18n/index.ts";
import { localeTags } from "../../i18n/languages.ts";
import type { Tone } from "../../ui/marks.tsx";

// The state of campaigns in words (design/ui-2.md, "Campaign list").

const DAY_MS = 86_400_000;
/** Weekdays are unmistakable for less than a week. */
const WEEKDAY_DAYS = 6;

/** A state in words. `warn`: it goes on by itself; `bad`: somebody must act, by the link `to` if there is one. */
export type StateWords = {
  tone: Tone | null;
  text: string;
  act?: { label: string; to: string };
};

/** "às 08:00" today, then "amanhã, 08:00", "sáb., 08:00" within a week, "20/11, 08:00". */
export function momentWords(t: TFunction, iso: string, nowMs: number): string {
  const time = formatTime(iso);
  const days = daysAhead(iso, nowMs);
  if (days === 0) return t("campaigns.at.today", { time });
  if (days === 1) return t("campaigns.at.tomorrow", { time });
  if (days === -1) return t("campaigns.at.yesterday", { time });
  const day =
    days > 0 && days <= WEEKDAY_DAYS ? shortWeekday(dayKey(iso)) : dayMonth(dayKey(iso), nowMs);
  return t("campaigns.at.day", { day, time });
}

/** "17/11, 09:00". */
export const dateTimeWords = (t: TFunction, iso: string, nowMs: number): string =>
  t("campaigns.at.day", { day: dayMonth(dayKey(iso), nowMs), time: formatTime(iso) });

/** Calendar days of the company from now until the moment; negative before. */
function daysAhead(iso: string, nowMs: number): number {
  const today = dayKey(new Date(nowMs).toISOString());
  return Math.round((Date.parse(dayKey(iso)) - Date.parse(today)) / DAY_MS);
}

/** "20/11", with the year if it is another one. */
export function dayMonth(day: string, nowMs: number): string {
  const isThisYear = day.slice(0, 4) === dayKey(new Date(nowMs).toISOString()).slice(0, 4);
  return wordsOf(day, {
    day: "2-digit",
    month: "2-digit",
    ...(isThisYear ? {} : { year: "numeric" }),
  });
}

/** "sáb.". */
export const shortWeekday = (day: string): string => wordsOf(day, { weekday: "short" });

/** "sábado", "sexta" without the ending that Portuguese leaves out. */
export const weekdayName = (day: string): string =>
  wordsOf(day, { weekday: "long" }).replace("-feira", "");

const wordsOf = (day: string, style: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(localeTags[currentLanguage()], { ...style, timeZone: "UTC" }).format(
    new Date(`${day}T12:00:00Z`),
  );

/** What a campaign does, what holds it up, or how it ended. */
export function stateWords(t: TFunction, campaign: Campaign, nowMs: number): StateWords {
  const { status, hold, counts } = campaign;
  switch (status) {
    case "EM_ANDAMENTO":
      if (hold !== null) return holdWords(t, hold, campaign.id, nowMs);
      if (campaign.endsAt === null) return plain(t("campaigns.sending"));
      return plain(t("campaigns.sendingUntil", { when: endWords(t, campaign.endsAt, nowMs) }));
    case "PROGRAMADA":
      return plain(plannedWords(t, campaign, nowMs));
    case "INATIVA":
      return plain(missingWords(t, campaign));
    case "CANCELADA":
      return plain(cancelledWords(t, campaign, nowMs));
    case "FINALIZADA": {
      if (counts.people === 0) return plain(t("campaigns.nobody"));
      const parts = [
        counts.failed > 0 ? t("campaigns.failed", { count: counts.failed }) : null,
        counts.answered > 0 ? t("campaigns.answered", { count: counts.answered }) : null,
      ].filter((part) => part !== null);
      if (parts.length > 0) return plain(parts.join(", "));
      const isAll = counts.delivered >= counts.valid;
      return plain(t(isAll ? "campaigns.allDelivered" : "campaigns.noFailure"));
    }
  }
}

const plain = (text: string): StateWords => ({ tone: null, text });

function endWords(t: TFunction, iso: string, nowMs: number): string {
  if (daysAhead(iso, nowMs) === 0) return t("campaigns.at.laterToday", { time: formatTime(iso) });
  return momentWords(t, iso, nowMs);
}

function holdWords(
  t: TFunction,
  { reason, until, since }: CampaignHold,
  id: number,
  nowMs: number,
): StateWords {
  switch (reason) {
    case "limit":
    case "hours":
    case "holiday": {
      const what = t(`campaigns.hold.${reason}`);
      if (until === null) return { tone: "warn", text: `${what}.` };
      const when = resumeWords(t, reason, until, nowMs);
      return { tone: "warn", text: `${what}. ${t("campaigns.hold.resumes", { when })}` };
    }
    case "disconnected":
      return {
        tone: "bad",
        text:
          since === null
            ? t("campaigns.hold.disconnected")
            : t("campaigns.hold.disconnectedSince", { when: momentWords(t, since, nowMs) }),
        act: { label: t("campaigns.hold.reconnect"), to: "/connections" },
      };
    case "template":
      return {
        tone: "bad",
        text: t("campaigns.hold.template"),
        act: { label: t("campaigns.hold.changeTemplate"), to: `/campaigns/${id}` },
      };
    case "noConnection":
    case "restricted":
    case "plan":
      return { tone: "bad", text: t(`campaigns.hold.${reason}`) };
  }
}

/** The hours begin again the next morning, which nobody takes for another day. */
function resumeWords(
  t: TFunction,
  reason: CampaignHold["reason"],
  until: string,
  nowMs: number,
): string {
  const isNextMorning = reason === "hours" && Date.parse(until) - nowMs < DAY_MS;
  if (isNextMorning) return t("campaigns.at.today", { time: formatTime(until) });
  return momentWords(t, until, nowMs);
}

function plannedWords(t: TFunction, { scheduledAt, isEditable }: Campaign, nowMs: number): string {
  if (scheduledAt === null) return t("campaigns.unscheduled");
  const days = daysAhead(scheduledAt, nowMs);
  const begins =
    days <= 0
      ? t("campaigns.beginsToday", { time: formatTime(scheduledAt) })
      : days === 1
        ? t("campaigns.beginsTomorrow")
        : t("campaigns.beginsIn", { count: days });
  if (!isEditable) return begins;
  const lockedAt = new Date(Date.parse(scheduledAt) - limits.campaignLockedMs).toISOString();
  return `${begins}. ${t("campaigns.editableUntil", { time: formatTime(lockedAt) })}`;
}

function missingWords(t: TFunction, campaign: Campaign): string {
  if (!hasText(campaign)) return t("campaigns.missing.text");
  const hasList = campaign.contactListId !== null || campaign.tagListId !== null;
  const hasDate = campaign.scheduledAt !== null;
  if (!hasList) return t(hasDate ? "campaigns.missing.list" : "campaigns.missing.listAndDate");
  return t(hasDate ? "campaigns.missing.nothing" : "campaigns.missing.date");
}

function cancelledWords(
  t: TFunction,
  { cancelledAt, cancelledBy }: Campaign,
  nowMs: number,
): string {
  if (cancelledAt === null) return t("campaigns.cancelled");
  const when = dateTimeWords(t, cancelledAt, nowMs);
  const name = firstName(cancelledBy?.name ?? "");
  return name === ""
    ? t("campaigns.cancelledAt", { when })
    : t("campaigns.cancelledBy", { name, when });
}

const textsOf = (campaign: Campaign): string[] =>
  [
    campaign.message1,
    campaign.message2,
    campaign.message3,
    campaign.message4,
    campaign.message5,
  ].filter((text) => text.trim() !== "");

const hasText = (campaign: Campaign): boolean =>
  campaign.template !== null ||
  campaign.fileListId !== null ||
  campaign.mediaPath !== null ||
  textsOf(campaign).length > 0;

const firstName = (name: string): string => name.split(" ")[0] ?? "";

/** What a campaign is made of: the line under its name. */
export function kindWords(t: TFunction, campaign: Campaign): string {
  if (campaign.template !== null)
    return t("campaigns.ofTemplate", { name: campaign.template.name });
  const author = firstName(campaign.createdBy?.name ?? "");
  if (campaign.status === "INATIVA" && author !== "")
    return t("campaigns.draftOf", { name: author });
  if (campaign.confirmation) return t("campaigns.withConfirmation");
  return t("campaigns.messages", { count: textsOf(campaign).length });
}

/** What holds a connection back or how good it is, at the right of its bar; null when there is nothing to say. */
export function lineWords(t: TFunction, line: CampaignLine, nowMs: number): StateWords | null {
  const { hold, connection, quality } = line;
  if (connection.status !== "CONNECTED") {
    const since = connection.disconnectedAt;
    return {
      tone: "bad",
      text:
        since === null
          ? t("campaigns.line.down")
          : t("campaigns.line.downSince", { when: sinceWords(t, since, nowMs) }),
    };
  }
  if (hold?.reason === "limit" || hold?.reason === "hours" || hold?.reason === "holiday") {
    if (hold.until === null) return { tone: "warn", text: t(`campaigns.hold.${hold.reason}`) };
    const when = resumeWords(t, hold.reason, hold.until, nowMs);
    return { tone: "warn", text: t("campaigns.line.resumes", { when }) };
  }
  if (hold?.reason === "restricted") return { tone: "bad", text: t("campaigns.line.restricted") };
  if (quality === null) return null;
  return { tone: quality === "low" ? "warn" : null, text: t(`campaigns.line.quality.${quality}`) };
}

/** "14:02" today, else with its day. */
const sinceWords = (t: TFunction, iso: string, nowMs: number): string =>
  daysAhead(iso, nowMs) === 0 ? formatTime(iso) : momentWords(t, iso, nowMs);

/** The people of today on a connection: "100", "de 100 pessoas novas hoje". */
export function lineCount(t: TFunction, line: CampaignLine): { done: string; rest: string } {
  const max = line.newMax === null ? null : formatNumber(line.newMax);
  const unit = line.isOfficial ? "official" : "linked";
  return {
    done: formatNumber(line.newToday),
    rest:
      max === null
        ? t(`campaigns.line.${unit}`, { count: line.newToday })
        : t(`campaigns.line.${unit}Of`, { max }),
  };
}
