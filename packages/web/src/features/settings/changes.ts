import type { SettingKey } from "@balcao/contract";
import { useMutation } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { updateSessionSetting } from "../../api/session-store.ts";
import type { DayEntry } from "../../ui/opening-hours/hours-rules.ts";
import { companies, settingList, valueChange, valueOf, withTimesOf } from "./api.ts";

// Apart from what only reads: the first screens need that alone.

/** Saves a setting. The new value is shown at once and reverted if the server refuses. */
export function useSettingChange(key: SettingKey) {
  const shown = (): string => valueOf(queryClient.getQueryData(settingList.query.queryKey), key);
  return useMutation({
    // Sequential, so that the last choice stays.
    scope: { id: `setting ${key}` },
    mutationFn: (value: string) => call("PUT /settings/:key", { params: { key }, body: { value } }),
    onMutate: (value) => {
      const before = shown();
      show(key, value);
      return { before };
    },
    onError: (_error, value, context) => {
      // A later change by another user stays.
      if (context && shown() === value) show(key, context.before);
      settingList.readAgain();
    },
  });
}

function show(key: SettingKey, value: string): void {
  settingList.apply(valueChange(key, value));
  updateSessionSetting(key, value);
}

export async function saveHours(companyId: number, schedules: DayEntry[]): Promise<void> {
  const saved = await call("PUT /companies/:companyId/schedules", {
    params: { companyId },
    body: { schedules },
  });
  companies.apply(companyId, withTimesOf(saved));
}
