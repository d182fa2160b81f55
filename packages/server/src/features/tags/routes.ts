import type { Routes } from "../../platform/http/routes.ts";
import type { TagService } from "./service.ts";

export function registerTagRoutes(routes: Routes, tags: TagService): void {
  routes.handle("GET /tags", ({ ctx, query }) => tags.page(ctx, query));
  routes.handle("GET /tags/list", ({ ctx, query }) => tags.list(ctx, query.searchParam));
  routes.handle("GET /tags/:tagId", ({ ctx, params }) => tags.show(ctx, params.tagId));
  routes.handle("POST /tags", ({ ctx, body }) => tags.create(ctx, body));
  routes.handle("PUT /tags/:tagId", ({ ctx, params, body }) =>
    tags.update(ctx, params.tagId, body),
  );
  routes.handle("DELETE /tags/:tagId", async ({ ctx, params }) => {
    await tags.remove(ctx, params.tagId);
    return { message: "Tag deleted" };
  });
  routes.handle("POST /tags/sync", ({ ctx, body }) =>
    tags.sync(
      ctx,
      body.ticketId,
      body.tags.map(({ id }) => id),
    ),
  );
}
