import type { Availability, ReplyOf, RequestOf, TeamMember } from "@balcao/contract";
import { queryOptions, useMutation } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "../../api/client.ts";
import { updateSessionUser } from "../../api/session-store.ts";
import { useTranslation } from "../../i18n/index.ts";
import { onCompanyEvent, readAgain } from "../../realtime/live.ts";
import { notifyError } from "../../ui/index.ts";
import { useSetting } from "../settings/index.ts";

export type Team = ReplyOf<"GET /team">;

const key = ["team"] as const;

/** Users with their load, and queues with what waits in them; kept current while `useLiveTeam` is mounted. */
export const teamQuery = queryOptions({
  queryKey: key,
  queryFn: ({ signal }): Promise<Team> => call("GET /team", {}, { signal }),
  staleTime: 0,
});

/** Changes come in bursts: the team is read again at most this often. */
const READ_AGAIN_MS = 5_000;

let shown = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

function readSoon(): void {
  if (shown === 0 || timer !== undefined) return;
  timer = setTimeout(() => {
    timer = undefined;
    if (shown > 0) void readAgain({ queryKey: key });
  }, READ_AGAIN_MS);
}

for (const subject of ["ticket", "appMessage", "user", "queue"] as const) {
  onCompanyEvent(subject, readSoon);
}

/** Follows the events of tickets, users and queues while mounted. */
export function useLiveTeam(): void {
  useEffect(() => {
    shown += 1;
    return () => {
      shown -= 1;
    };
  }, []);
}

/** How much work somebody can take: online and available with room, without room, paused, away, or without a client. */
export type MemberState = "free" | "full" | "paused" | "away" | "offline";

export function stateOf(member: TeamMember): MemberState {
  if (!member.online) return "offline";
  if (member.availability !== "available") return member.availability;
  return member.openTickets < member.ticketLimit ? "free" : "full";
}

const order: readonly MemberState[] = ["free", "full", "paused", "away", "offline"];

/** Those who can take a ticket now first, the least load first. */
export function byReadiness(a: TeamMember, b: TeamMember): number {
  return (
    order.indexOf(stateOf(a)) - order.indexOf(stateOf(b)) ||
    a.openTickets - b.openTickets ||
    a.name.localeCompare(b.name) ||
    a.id - b.id
  );
}

/** The reasons for a pause: the company's, else those of the product. */
export function usePauseReasons(): string[] {
  const { t } = useTranslation();
  const own = linesOf(useSetting("pauseReasons"));
  return own.length > 0 ? own : linesOf(t("team.pauseReasons"));
}

function linesOf(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ""))];
}

type AvailabilityBody = RequestOf<"PUT /users/availability">["body"];

/** Changes the signed-in user's availability; every screen shows it at once. */
export function useAvailabilityChange() {
  return useMutation({
    scope: { id: "availability" },
    mutationFn: (body: AvailabilityBody) => call("PUT /users/availability", { body }),
    onSuccess: updateSessionUser,
    onError: notifyError,
  });
}

/** An availability as the value of a control: a pause has its reason behind it. */
export function valueOf(of: { availability: Availability; pauseReason: string | null }): string {
  return of.availability === "paused" ? `paused ${of.pauseReason ?? ""}` : of.availability;
}

export function bodyOf(value: string): AvailabilityBody {
  if (value.startsWith("paused ")) {
    return { availability: "paused", pauseReason: value.slice("paused ".length) };
  }
  return { availability: value === "away" ? "away" : "available" };
}
