import type { Routes } from "../../platform/http/routes.ts";
import type { OptionService } from "./option-service.ts";
import { ATTACHED, DETACHED } from "./routes.ts";

export function registerOptionRoutes(routes: Routes, service: OptionService): void {
  routes.handle("GET /queue-options", ({ ctx, query }) =>
    service.list(ctx, query.queueId, query.parentId ?? "all"),
  );
  routes.handle("GET /queue-options/count", ({ ctx }) => service.counts(ctx));
  routes.handle("GET /queue-options/:queueOptionId", ({ ctx, params }) =>
    service.get(ctx, params.queueOptionId),
  );
  routes.handle("POST /queue-options", ({ ctx, body }) => service.create(ctx, body));
  routes.handle("POST /queue-options/order", ({ ctx, body }) => service.order(ctx, body));
  routes.handle("PUT /queue-options/:queueOptionId", ({ ctx, params, body }) =>
    service.update(ctx, params.queueOptionId, body),
  );
  routes.handle("DELETE /queue-options/:queueOptionId", async ({ ctx, params }) => {
    await service.remove(ctx, params.queueOptionId);
    // As clients of the family know it.
    return { message: "Option Delected" };
  });
  routes.handle(
    "POST /queue-options/:queueOptionId/media-upload",
    async ({ ctx, params, upload }) => {
      await service.attachFile(ctx, params.queueOptionId, upload.files());
      return { mensagem: ATTACHED };
    },
  );
  routes.handle("DELETE /queue-options/:queueOptionId/media-upload", async ({ ctx, params }) => {
    await service.detachFile(ctx, params.queueOptionId);
    return { mensagem: DETACHED };
  });
}
