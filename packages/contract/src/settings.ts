import { z } from "zod";
import { automaticTextKeys } from "./automatic-texts.ts";
import { defineEndpoints } from "./endpoint.ts";
import { companyId } from "./ids.ts";
import { limits } from "./limits.ts";
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

/** A text that customers get by themselves, as the company's get it. */
export const automaticText = z.object({
  key: z.enum(automaticTextKeys),
  text: z.string(),
  /** The company has not written its own. */
  isDefault: z.boolean(),
});
export type AutomaticText = z.output<typeof automaticText>;

const textParams = z.object({ key: z.enum(automaticTextKeys) });
const writing = { auth: "bearer", permission: "settings:write" } as const;

export const settingsEndpoints = defineEndpoints({
  "GET /settings": {
    summary: "Settings of the caller's company; secrets only for admins, masked",
    auth: "bearer",
    permission: "settings:read",
    reply: z.array(setting),
    errors: [],
  },
  "GET /settings/:key": {
    summary: "What visitors read before they sign up: `allowregister`, `viewregister`, `trial`",
    auth: "none",
    params: z.object({ key: text(60) }),
    reply: z.object({ key: z.string(), value: z.string() }),
    errors: ["ERR_NO_SETTING_FOUND"],
  },
  "PUT /settings/:key": {
    summary:
      "Writes one setting of the company; `campaignsEnabled` and those of the sign-up by super users only. A masked secret stays as it is",
    auth: "bearer",
    permission: "settings:write",
    params: z.object({ key: text(60) }),
    body: z.object({ value: text(4_000) }),
    reply: setting,
    errors: ["ERR_NO_SETTING_FOUND", "ERR_ROLE_BEYOND_OWN"],
  },
  "GET /automatic-texts": {
    auth: "bearer",
    permission: "tickets:work",
    summary: "The texts that customers get by themselves",
    reply: z.array(automaticText),
    errors: [],
  },
  "PUT /automatic-texts/:key": {
    ...writing,
    summary: "The company's own text in place of the default",
    params: textParams,
    body: z.object({
      text: text(limits.messageBodyMax).refine((value) => value.trim() !== "", {
        message: "must not be blank",
      }),
    }),
    reply: automaticText,
    errors: [],
  },
  "DELETE /automatic-texts/:key": {
    ...writing,
    summary: "The default again",
    params: textParams,
    reply: automaticText,
    errors: [],
  },
});

/** Whether a text names a setting of the product. */
export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(settingKeys, key);
}
