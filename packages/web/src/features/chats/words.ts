import type { ChatMember } from "@balcao/contract";
import { dayKey, formatDate, formatTime } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { epochMs, nowIso } from "../../ui/clock.ts";

const DAY_MS = 86_400_000;
const SHOWN = 3;

/** The hour of today, "Ontem", then day and month. */
export function formatDay(t: TFunction, iso: string): string {
  const day = dayKey(iso);
  if (day === dayKey(nowIso())) return formatTime(iso);
  if (day === dayKey(new Date(epochMs() - DAY_MS).toISOString())) return t("chats.yesterday");
  return formatDate(iso).slice(0, 5);
}

export const firstName = (name: string): string => name.split(" ", 1)[0] ?? name;

/** Up to three first names, then "e mais 2". */
export function namesOf(t: TFunction, members: readonly ChatMember[]): string {
  const names = members.slice(0, SHOWN).map(({ user }) => firstName(user.name));
  const more = members.length - names.length;
  if (more > 0) return t("chats.more", { names: names.join(", "), count: more });
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : t("chats.and", { names: names.slice(0, -1).join(", "), last });
}
