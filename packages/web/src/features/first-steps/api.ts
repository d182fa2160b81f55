import type { FirstSteps } from "@balcao/contract";
import { weekdayLabels, weekdays } from "@balcao/contract/weekdays";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { onCompanyEvent, onceLive, readAgain } from "../../realtime/live.ts";

export type Steps = FirstSteps["steps"];
export type StepName = keyof Steps;
/** In the order of the list. */
export const stepNames = [
  "connection",
  "queue",
  "hours",
  "team",
  "simulator",
] as const satisfies readonly StepName[];

export const doneOf = (steps: Steps): number =>
  stepNames.filter((name) => steps[name] !== null).length;

const key = ["first-steps"];
const stepsQuery = queryOptions({
  queryKey: key,
  queryFn: ({ signal }) => onceLive(key, () => call("GET /first-steps", {}, { signal })),
  // Steps are done on other pages.
  staleTime: 0,
});

/** What the company has done; read again when something of it may have changed, while it is shown. */
export const useFirstSteps = (isWanted = true) => useQuery({ ...stepsQuery, enabled: isWanted });

/** Several events come of one change. */
const READ_AGAIN_MS = 300;
let timer: ReturnType<typeof setTimeout> | undefined;

function readSoon(): void {
  clearTimeout(timer);
  timer = setTimeout(() => void readAgain({ queryKey: key }), READ_AGAIN_MS);
}

for (const subject of [
  ...(["whatsapp", "whatsappSession", "queue", "company", "settings", "user"] as const),
  ...(["simulator", "payment"] as const),
]) {
  onCompanyEvent(subject, readSoon);
}

/** The hours that are proposed: two intervals from Monday to Friday, the morning of Saturday, Sunday closed. */
const proposedHours = weekdays.map((weekdayEn) => {
  const day = { weekdayEn, weekday: weekdayLabels[weekdayEn] };
  if (weekdayEn === "sunday") return { ...day, startTime: "00:00", endTime: "00:00" };
  if (weekdayEn === "saturday") return { ...day, startTime: "09:00", endTime: "13:00" };
  const times = { startTime: "09:00", endTime: "12:00", startTimeB: "13:00", endTimeB: "18:00" };
  return { ...day, ...times };
});

/** Saves the proposed hours as the company's and has it work by them. */
export async function saveProposedHours(companyId: number): Promise<void> {
  const [params, body] = [{ companyId }, { schedules: proposedHours }];
  await call("PUT /companies/:companyId/schedules", { params, body });
  await call("PUT /settings/:key", {
    params: { key: "scheduleType" },
    body: { value: "company" },
  });
  await readAgain({ queryKey: key });
}
