import type { Routes } from "../../platform/http/routes.ts";
import type { Changing } from "./change/change.ts";
import type { Pages } from "./page/page.ts";
import type { FailedMessages } from "./send/failed.ts";
import type { Removal } from "./send/removal.ts";
import type { Sending } from "./send/send.ts";

export type MessageServices = {
  pages: Pages;
  sending: Sending;
  failed: FailedMessages;
  removal: Removal;
  changing: Changing;
};

export function registerMessageRoutes(routes: Routes, services: MessageServices): void {
  const { pages, sending, failed, removal, changing } = services;

  routes.handle("GET /messages/:ticketId", ({ ctx, params, query }) =>
    pages.page(ctx, params.ticketId, { ...query, markRead: query.markRead === "true" }),
  );
  routes.handle("POST /messages/:ticketId", ({ ctx, params, body, upload }) =>
    upload === null
      ? sending.sendText(ctx, params.ticketId, body)
      : sending.sendFiles(ctx, params.ticketId, upload),
  );
  routes.handle("POST /messages/:ticketId/read", ({ ctx, params }) =>
    pages.read(ctx, params.ticketId),
  );
  routes.handle("POST /messages/retry/:messageId", ({ ctx, params, body }) =>
    failed.retry(ctx, params.messageId, body),
  );
  routes.handle("DELETE /messages/failed/:messageId", async ({ ctx, params }) => {
    await failed.discard(ctx, params.messageId);
    return { message: "Message discarded" };
  });
  routes.handle("DELETE /messages/undo/:messageId", async ({ ctx, params }) => {
    await removal.undo(ctx, params.messageId);
    return { message: "Message taken back" };
  });
  routes.handle("POST /messages/edit/:messageId", ({ ctx, params, body }) =>
    changing.edit(ctx, params.messageId, body.body),
  );
  routes.handle("PUT /messages/:messageId", ({ ctx, params }) =>
    changing.show(ctx, params.messageId),
  );
  routes.handle("DELETE /messages/:messageId", ({ ctx, params }) =>
    changing.remove(ctx, params.messageId),
  );
  routes.handle("POST /messages/:messageId/reactions", ({ ctx, params, body }) =>
    changing.react(ctx, params.messageId, body.type),
  );
}
