import type { RequestOf, Schedule } from "@balcao/contract";
import { call } from "../../api/client.ts";
import { upload } from "../../api/upload.ts";
import { livePages } from "../../realtime/live-list.ts";
import { readAgain } from "../../realtime/live.ts";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";

/** The scheduled and failed messages of a contact, soonest first. */
export const contactSchedules = livePages<Schedule, number>({
  key: ["schedules", "contact"],
  identify: ({ id }) => id,
  async read(contactId, pageNumber, signal) {
    const query = { contactId: String(contactId), unsent: "true", pageNumber } as const;
    const { schedules, count, hasMore } = await call("GET /schedules", { query }, { signal });
    return { rows: schedules, count, hasMore };
  },
}).follow("schedule");

/** Those of the twenty that were made last for a contact that were sent. */
export const sentSchedules = livePages<Schedule, number>({
  key: ["schedules", "sent"],
  identify: ({ id }) => id,
  async read(contactId, pageNumber, signal) {
    const query = { contactId: String(contactId), pageNumber };
    const { schedules } = await call("GET /schedules", { query }, { signal });
    const rows = schedules.filter(({ status }) => status === "ENVIADA");
    return { rows, count: rows.length, hasMore: false };
  },
}).follow("schedule");

export type ScheduleValues = RequestOf<"POST /schedules">["body"];
/** Of a series: the message alone, or with all later ones. */
export type Scope = NonNullable<RequestOf<"PUT /schedules/:scheduleId">["query"]["scope"]>;

const queryOf = (scope: Scope): { scope?: "following" } => (scope === "one" ? {} : { scope });

/** Saves a new (`id` null) or known scheduled message. */
export async function saveSchedule(
  id: number | null,
  body: ScheduleValues,
  scope: Scope = "one",
): Promise<Schedule> {
  const saved =
    id === null
      ? await call("POST /schedules", { body })
      : await call("PUT /schedules/:scheduleId", {
          params: { scheduleId: id },
          query: queryOf(scope),
          body,
        });
  readSchedulesAgain();
  return saved;
}

/** Gives a message another time: `YYYY-MM-DDTHH:mm` of the company, or an instant. */
export function moveSchedule(
  { id, body, contactId }: Pick<Schedule, "id" | "body" | "contactId">,
  sendAt: string,
  scope: Scope,
): Promise<Schedule> {
  return saveSchedule(id, { body, contactId, sendAt }, scope);
}

export async function savePicture(
  scheduleId: number,
  picture: AttachmentChange,
  scope: Scope,
): Promise<void> {
  const params = { scheduleId };
  const query = queryOf(scope);
  if (picture.kind === "attach") {
    const files = { file: [picture.file] };
    await upload("POST /schedules/:scheduleId/media-upload", { params, query, files });
  }
  if (picture.kind === "remove") {
    await call("DELETE /schedules/:scheduleId/media-upload", { params, query });
  }
  if (picture.kind !== "keep") readSchedulesAgain();
}

export async function deleteSchedule(id: number, scope: Scope = "one"): Promise<void> {
  await call("DELETE /schedules/:scheduleId", {
    params: { scheduleId: id },
    query: queryOf(scope),
  });
  readSchedulesAgain();
}

/** The lists of a contact, a search and the calendar have keys that begin so. */
function readSchedulesAgain(): void {
  void readAgain({ queryKey: ["schedules"] });
}
