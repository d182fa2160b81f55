import { isSendingTime } from "@balcao/contract/campaign-pace";
import { dayText, holidayOn } from "@balcao/contract/holidays";
import { instantAfter, wallClock } from "@balcao/contract/hours-at";
import type { ReactNode } from "react";
import { formatTime, dayKey } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useSession } from "../auth/index.ts";
import { useCompany } from "../settings/index.ts";
import { dayMonth, weekdayName } from "./campaign-words.ts";
import { useCampaignSettings } from "./settings-api.ts";

const DAY_MS = 86_400_000;
/** So far ahead a holiday is announced. */
const DAYS_AHEAD = 7;

/** The next holiday on which campaigns pause, and when they go on; nothing within a week without one. */
export function HolidayNote({ nowMs }: { nowMs: number }): ReactNode {
  const { t } = useTranslation();
  const { user } = useSession();
  const { settings } = useCampaignSettings();
  const { data: company } = useCompany(user.companyId);
  if (!settings?.pausesOnHolidays || company === undefined) return null;
  const { timeZone } = user.company;
  const { holidays } = company;
  const now = new Date(nowMs);
  const wall = wallClock(now, timeZone);
  const starts = Array.from(
    { length: DAYS_AHEAD },
    (_, ahead) => wall - (wall % DAY_MS) + ahead * DAY_MS,
  );
  const start = starts.find((one) => holidayOn(holidays, dayText(one)) !== null);
  if (start === undefined) return null;
  const noon = instantAfter(now, Math.max(wall, start + DAY_MS / 2), timeZone);
  const state = isSendingTime(noon, { ...settings, holidays, timeZone });
  if (state.isOpen || state.until === null) return null;
  const until = state.until.toISOString();
  const day = dayText(start);
  return (
    <p className="bc-detail">
      {t("campaigns.holidayNote", {
        holiday: `${weekdayName(day)}, ${dayMonth(day, nowMs)}`,
        back: weekdayName(dayKey(until)),
        time: formatTime(until),
      })}
    </p>
  );
}
