import type { Routes } from "../../platform/http/routes.ts";
import type { EditingDeps } from "./editing.ts";
import {
  attachMedia,
  createCampaign,
  detachMedia,
  duplicateCampaign,
  keepUsedList,
  removeCampaign,
  resendCampaign,
  updateCampaign,
} from "./editing.ts";
import { estimateCampaign, previewCampaign } from "./estimate.ts";
import { changeLine, listLines } from "./line-settings.ts";
import { listCampaigns, showCampaign } from "./reading.ts";
import { exportRecipients, listRecipients } from "./recipient-list.ts";
import { reportCampaign } from "./report.ts";
import { cancelCampaign, restartCampaign, startCampaign } from "./running.ts";
import { listSettings, saveSettings } from "./settings.ts";
import type { TestDeps } from "./test-send.ts";
import { sendTest } from "./test-send.ts";

export type CampaignsDeps = EditingDeps & TestDeps;

/** Messages to many people (wire-contract 5.15, behaviour 5). */
export function createCampaignsFeature(deps: CampaignsDeps) {
  deps.domainEvents.on("contactList.removing", keepUsedList);
  return {
    register(routes: Routes): void {
      registerCampaigns(deps, routes);
      registerRuns(deps, routes);
      routes.handle("GET /campaign-settings", ({ ctx }) => listSettings(deps, ctx));
      routes.handle("POST /campaign-settings", ({ ctx, body }) =>
        saveSettings(deps, ctx, body.settings),
      );
      routes.handle("GET /campaign-lines", ({ ctx }) => listLines(deps, ctx));
      routes.handle("PUT /campaign-lines/:connectionId", ({ ctx, params, body }) =>
        changeLine(deps, ctx, params.connectionId, body),
      );
    },
  };
}

function registerCampaigns(deps: CampaignsDeps, routes: Routes): void {
  routes.handle("GET /campaigns", ({ ctx, query }) => listCampaigns(deps, ctx, query));
  routes.handle("GET /campaigns/:campaignId", ({ ctx, params }) =>
    showCampaign(deps, ctx, params.campaignId),
  );
  routes.handle("POST /campaigns", ({ ctx, body }) => createCampaign(deps, ctx, body));
  routes.handle("PUT /campaigns/:campaignId", ({ ctx, params, body }) =>
    updateCampaign(deps, ctx, params.campaignId, body),
  );
  routes.handle("DELETE /campaigns/:campaignId", async ({ ctx, params }) => {
    await removeCampaign(deps, ctx, params.campaignId);
    return { message: "Campaign deleted" };
  });
  routes.handle("POST /campaigns/:campaignId/media-upload", async ({ ctx, params, upload }) => {
    await attachMedia(deps, ctx, params.campaignId, upload.files());
    return { mensagem: "Mensagem enviada" };
  });
  routes.handle("DELETE /campaigns/:campaignId/media-upload", async ({ ctx, params }) => {
    await detachMedia(deps, ctx, params.campaignId);
    return { mensagem: "Arquivo excluído" };
  });
  routes.handle("POST /campaigns/:campaignId/duplicate", ({ ctx, params }) =>
    duplicateCampaign(deps, ctx, params.campaignId),
  );
  routes.handle("POST /campaigns/:campaignId/resend", ({ ctx, params }) =>
    resendCampaign(deps, ctx, params.campaignId),
  );
  routes.handle("POST /campaigns/estimate", ({ ctx, body }) => estimateCampaign(deps, ctx, body));
  routes.handle("POST /campaigns/preview", ({ ctx, body }) => previewCampaign(deps, ctx, body));
}

function registerRuns(deps: CampaignsDeps, routes: Routes): void {
  routes.handle("POST /campaigns/:campaignId/start", async ({ ctx, params }) => {
    await startCampaign(deps, ctx, params.campaignId);
    return undefined;
  });
  routes.handle("POST /campaigns/:campaignId/cancel", async ({ ctx, params }) => {
    await cancelCampaign(deps, ctx, params.campaignId);
    return undefined;
  });
  routes.handle("POST /campaigns/:campaignId/restart", async ({ ctx, params }) => {
    await restartCampaign(deps, ctx, params.campaignId);
    return undefined;
  });
  routes.handle("POST /campaigns/:campaignId/test", async ({ ctx, params, body }) => {
    await sendTest(deps, ctx, params.campaignId, body);
    return { message: "Test sent" };
  });
  routes.handle("GET /campaigns/:campaignId/report", ({ ctx, params }) =>
    reportCampaign(deps, ctx, params.campaignId),
  );
  routes.handle("GET /campaigns/:campaignId/recipients", ({ ctx, params, query }) =>
    listRecipients(deps, ctx, params.campaignId, query),
  );
  routes.handle("POST /campaigns/:campaignId/export", ({ ctx, params, body }) =>
    exportRecipients(deps, ctx, params.campaignId, body),
  );
}
