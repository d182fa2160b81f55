import type { Routes } from "../../platform/http/routes.ts";
import type { QuickMessageService } from "./service.ts";

export function registerQuickMessageRoutes(routes: Routes, service: QuickMessageService): void {
  routes.handle("GET /quick-messages", ({ ctx, query }) => service.list(ctx, query));
  routes.handle("GET /quick-messages/list", ({ ctx }) => service.all(ctx));
  routes.handle("GET /quick-messages/:quickMessageId", ({ ctx, params }) =>
    service.get(ctx, params.quickMessageId),
  );
  routes.handle("POST /quick-messages", ({ ctx, body }) => service.create(ctx, body));
  routes.handle("PUT /quick-messages/:quickMessageId", ({ ctx, params, body }) =>
    service.update(ctx, params.quickMessageId, body),
  );
  routes.handle("DELETE /quick-messages/:quickMessageId", async ({ ctx, params }) => {
    await service.remove(ctx, params.quickMessageId);
    // Clients of the family show this text.
    return { message: "Contact deleted" };
  });
  routes.handle(
    "POST /quick-messages/:quickMessageId/media-upload",
    async ({ ctx, params, upload }) => {
      await service.attachFile(ctx, params.quickMessageId, upload.files());
      return { mensagem: "Arquivo Anexado" };
    },
  );
  routes.handle("DELETE /quick-messages/:quickMessageId/media-upload", async ({ ctx, params }) => {
    await service.detachFile(ctx, params.quickMessageId);
    return { mensagem: "Arquivo Excluído" };
  });
}
