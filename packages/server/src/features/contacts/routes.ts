import type { Routes } from "../../platform/http/routes.ts";
import type { Book } from "./book.ts";

export function registerContactRoutes(routes: Routes, book: Book): void {
  routes.handle("GET /contacts", ({ ctx, query }) => book.list(ctx, query));
  routes.handle("GET /contacts/list", ({ ctx, query }) => book.choices(ctx, query.name));
  routes.handle("GET /contacts/:contactId", ({ ctx, params }) => book.show(ctx, params.contactId));
  routes.handle("POST /contacts", ({ ctx, body }) => book.create(ctx, body));
  routes.handle("PUT /contacts/:contactId", ({ ctx, params, body }) =>
    book.change(ctx, params.contactId, body),
  );
  routes.handle("DELETE /contacts/:contactId", ({ ctx, params }) =>
    book.remove(ctx, params.contactId),
  );
  routes.handle("GET /contacts/:contactId/attendances", ({ ctx, params, query }) =>
    book.attendances(ctx, params.contactId, query.pageNumber),
  );
}
