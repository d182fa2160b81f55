import type { Routes } from "../../platform/http/routes.ts";
import type { FailedMessages } from "./failed.ts";
import type { MessageService } from "./service.ts";

export function registerMessageRoutes(
  routes: Routes,
  { messages, failed }: { messages: MessageService; failed: FailedMessages },
): void {
  routes.handle("GET /messages/:ticketId", ({ ctx, params, query }) =>
    messages.page(ctx, params.ticketId, { ...query, markRead: query.markRead === "true" }),
  );
  routes.handle("POST /messages/:ticketId", ({ ctx, params, body }) =>
    messages.send(ctx, params.ticketId, body),
  );
  routes.handle("POST /messages/:ticketId/read", ({ ctx, params }) =>
    messages.read(ctx, params.ticketId),
  );
  routes.handle("POST /messages/retry/:messageId", ({ ctx, params }) =>
    failed.retry(ctx, params.messageId),
  );
  routes.handle("DELETE /messages/failed/:messageId", async ({ ctx, params }) => {
    await failed.discard(ctx, params.messageId);
    return { message: "Message discarded" };
  });
}
