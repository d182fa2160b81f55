import type { Schedule } from "@balcao/contract";
import { useMutation } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { upload } from "../../api/upload.ts";
import type { Pages } from "../../api/use-pages.ts";
import { usePages } from "../../api/use-pages.ts";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";
import { useCompanyEvent } from "../../realtime/index.ts";

const key = ["schedules"] as const;
/** What will be sent to a contact, or could not be, the next one first. */
export function useContactSchedules(contactId: number, isAllowed: boolean): Pages<Schedule> {
  useCompanyEvent("schedule", refresh);
  return usePages(
    [...key, "contact", contactId],
    async (pageNumber, signal) => {
      const query = { contactId: String(contactId), unsent: "true", pageNumber } as const;
      const { schedules, count, hasMore } = await call("GET /schedules", { query }, { signal });
      return { rows: schedules, count, hasMore };
    },
    ({ id }) => id,
    { enabled: isAllowed },
  );
}

export type ScheduleValues = {
  body: string;
  contactId: number;
  /** `YYYY-MM-DDTHH:mm` in the company's time zone. */
  sendAt: string;
};

/** The message is saved, its picture is not; saving again goes on with the same one. */
export class SavedWithoutPicture extends Error {
  readonly id: number;
  constructor(id: number, cause: unknown) {
    super("the picture was not saved", { cause });
    this.name = "SavedWithoutPicture";
    this.id = id;
  }
}

/** Saves a new (`id` null) or known scheduled message, then its picture. */
export async function saveSchedule(
  id: number | null,
  body: ScheduleValues,
  picture: AttachmentChange,
): Promise<void> {
  const saved =
    id === null
      ? await call("POST /schedules", { body })
      : await call("PUT /schedules/:scheduleId", { params: { scheduleId: id }, body });
  const params = { scheduleId: saved.id };
  try {
    if (picture.kind === "attach") {
      await upload("POST /schedules/:scheduleId/media-upload", {
        params,
        files: { file: [picture.file] },
      });
    }
    if (picture.kind === "remove") {
      await call("DELETE /schedules/:scheduleId/media-upload", { params });
    }
  } catch (error) {
    throw new SavedWithoutPicture(saved.id, error);
  } finally {
    refresh();
  }
}

export function useDeleteSchedule() {
  return useMutation({
    mutationFn: async (id: number) => {
      await call("DELETE /schedules/:scheduleId", { params: { scheduleId: id } });
      refresh();
    },
  });
}

function refresh(): void {
  void queryClient.invalidateQueries({ queryKey: key });
}
