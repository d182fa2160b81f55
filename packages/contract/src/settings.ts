import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId } from "./ids.ts";
import { text } from "./primitives.ts";
import type { SettingKey } from "./setting-keys.ts";
import { settingKeys } from "./setting-keys.ts";

export const setting = z.object({
  id: z.number(),
  key: z.string(),
  value: z.string(),
  companyId,
});
export type Setting = z.output<typeof setting>;

export const settingsEndpoints = defineEndpoints({
  "GET /settings": {
    summary: "Settings of the caller's company; secrets only for admins, masked",
    auth: "bearer",
    permission: "settings:read",
    reply: z.array(setting),
    errors: [],
  },
  "PUT /settings/:key": {
    summary:
      "Writes one setting of the company; `campaignsEnabled` by super users only. A masked secret stays as it is",
    auth: "bearer",
    permission: "settings:write",
    params: z.object({ key: text(60) }),
    body: z.object({ value: text(4_000) }),
    reply: setting,
    errors: ["ERR_NO_SETTING_FOUND"],
  },
});

/** Whether a text names a setting of the product. */
export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(settingKeys, key);
}
