import type { Schedule } from "@balcao/contract";
import { useMutation } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { upload } from "../../api/upload.ts";
import { livePages } from "../../realtime/live-list.ts";
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

export type ScheduleValues = {
  body: string;
  contactId: number;
  /** `YYYY-MM-DDTHH:mm` in the company's time zone. */
  sendAt: string;
};

/** Saves a new (`id` null) or known scheduled message. */
export async function saveSchedule(id: number | null, body: ScheduleValues): Promise<Schedule> {
  const saved =
    id === null
      ? await call("POST /schedules", { body })
      : await call("PUT /schedules/:scheduleId", { params: { scheduleId: id }, body });
  contactSchedules.readAgain();
  return saved;
}

export async function savePicture(scheduleId: number, picture: AttachmentChange): Promise<void> {
  const params = { scheduleId };
  if (picture.kind === "attach") {
    const files = { file: [picture.file] };
    await upload("POST /schedules/:scheduleId/media-upload", { params, files });
  }
  if (picture.kind === "remove") {
    await call("DELETE /schedules/:scheduleId/media-upload", { params });
  }
  if (picture.kind !== "keep") contactSchedules.readAgain();
}

export function useDeleteSchedule() {
  return useMutation({
    mutationFn: async (id: number) => {
      await call("DELETE /schedules/:scheduleId", { params: { scheduleId: id } });
      contactSchedules.readAgain();
    },
  });
}
