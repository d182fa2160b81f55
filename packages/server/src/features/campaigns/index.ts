import type { Routes } from "../../platform/http/routes.ts";
import type { SettingsDeps } from "./settings.ts";
import { listSettings, saveSettings } from "./settings.ts";

export { createCampaignWork } from "./work.ts";

export type CampaignsDeps = SettingsDeps;

/** Messages to many people (wire-contract 5.15, behaviour 5). */
export function createCampaignsFeature(deps: CampaignsDeps) {
  return {
    register(routes: Routes): void {
      routes.handle("GET /campaign-settings", ({ ctx }) => listSettings(deps, ctx));
      routes.handle("POST /campaign-settings", ({ ctx, body }) =>
        saveSettings(deps, ctx, body.settings),
      );
      for (const name of [
        "GET /campaign-lines",
        "PUT /campaign-lines/:connectionId",
        "GET /campaigns",
        "GET /campaigns/:campaignId",
        "POST /campaigns",
        "PUT /campaigns/:campaignId",
        "DELETE /campaigns/:campaignId",
        "POST /campaigns/:campaignId/start",
        "POST /campaigns/:campaignId/cancel",
        "POST /campaigns/:campaignId/restart",
        "POST /campaigns/:campaignId/media-upload",
        "DELETE /campaigns/:campaignId/media-upload",
        "POST /campaigns/:campaignId/duplicate",
        "POST /campaigns/:campaignId/resend",
        "POST /campaigns/:campaignId/test",
        "POST /campaigns/estimate",
        "POST /campaigns/preview",
        "GET /campaigns/:campaignId/report",
        "GET /campaigns/:campaignId/recipients",
        "POST /campaigns/:campaignId/export",
      ] as const)
        routes.handle(name, () => Promise.reject(new Error("follows")));
    },
  };
}
