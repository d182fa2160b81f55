import type { Routes } from "../../platform/http/routes.ts";
import type { QueueRemoval } from "./removal.ts";
import type { QueueService } from "./service.ts";

/** Clients of the family show these texts. */
export const ATTACHED = "Arquivo Salvo";
export const DETACHED = "Arquivo excluído";

export function registerQueueRoutes(
  routes: Routes,
  service: QueueService,
  removal: QueueRemoval,
): void {
  routes.handle("GET /queue", ({ ctx }) => service.list(ctx));
  routes.handle("GET /queue/:queueId", ({ ctx, params }) => service.get(ctx, params.queueId));
  routes.handle("POST /queue", ({ ctx, body }) => service.create(ctx, body));
  routes.handle("PUT /queue/:queueId", ({ ctx, params, body }) =>
    service.update(ctx, params.queueId, body),
  );
  routes.handle("GET /queue/:queueId/use", ({ ctx, params }) => removal.use(ctx, params.queueId));
  routes.handle("DELETE /queue/:queueId", async ({ ctx, params, query }) => {
    await removal.remove(ctx, params.queueId, query.targetQueueId ?? null);
    return undefined;
  });
  routes.handle("POST /queue/:queueId/media-upload", async ({ ctx, params, upload }) => {
    await service.attachFile(ctx, params.queueId, upload.files());
    return { mensagem: ATTACHED };
  });
  routes.handle("DELETE /queue/:queueId/media-upload", async ({ ctx, params }) => {
    await service.detachFile(ctx, params.queueId);
    return { mensagem: DETACHED };
  });
}
