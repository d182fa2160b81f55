import type { Database } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { MessagesFeature } from "../messages/index.ts";
import type { TemplateSource } from "./service.ts";
import { createTemplateService } from "./service.ts";

export type TemplatesDeps = {
  db: Database;
  source: TemplateSource;
  messages: Pick<MessagesFeature, "sendAsAgent">;
};

/** Messages whose text the chat network has approved. */
export function createTemplatesFeature(deps: TemplatesDeps): { register(routes: Routes): void } {
  const service = createTemplateService(deps);
  return {
    register(routes) {
      routes.handle("GET /whatsapp/:connectionId/templates", async ({ ctx, params }) => ({
        templates: [...(await service.list(ctx, params.connectionId))],
      }));
      routes.handle("POST /messages/:ticketId/template", ({ ctx, params, body }) =>
        service.send(ctx, params.ticketId, body),
      );
    },
  };
}
