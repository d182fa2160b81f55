import type { FastifyReply, FastifyRequest } from "fastify";
import type { Routes } from "../../platform/http/routes.ts";
import type { createColleagues } from "./colleagues.ts";
import type { createEditing } from "./editing.ts";
import type { createRemoval } from "./removal.ts";
import type { AccountRow } from "./session-user.ts";
import { toSessionUser } from "./session-user.ts";

/** Puts the caller's new session into his browser's cookie; his next call renews by it. */
export type GoOn = (
  request: FastifyRequest,
  reply: FastifyReply,
  account: AccountRow,
) => Promise<void>;

export type UserRoutesDeps = {
  colleagues: ReturnType<typeof createColleagues>;
  editing: ReturnType<typeof createEditing>;
  removal: ReturnType<typeof createRemoval>;
  goOn: GoOn;
};

export function registerUserRoutes(routes: Routes, deps: UserRoutesDeps): void {
  const { colleagues, editing, removal, goOn } = deps;
  routes.handle("GET /users", ({ ctx, query }) => colleagues.list(ctx, query));
  routes.handle("GET /users/list", ({ ctx }) => colleagues.all(ctx));
  routes.handle("GET /users/:userId", ({ ctx, params }) => editing.show(ctx, params.userId));
  routes.handle("GET /users/:userId/use", ({ ctx, params }) => removal.use(ctx, params.userId));
  routes.handle("POST /users", async ({ ctx, body }) =>
    toSessionUser(await editing.create(ctx, body)),
  );
  routes.handle("PUT /users/:userId", async ({ ctx, params, body, request, reply }) => {
    const { account, endsOwnSession } = await editing.update(ctx, params.userId, body);
    if (endsOwnSession) await goOn(request, reply, account);
    return toSessionUser(account);
  });
  routes.handle("DELETE /users/:userId", async ({ ctx, params }) => {
    await removal.remove(ctx, params.userId);
    return { message: "User deleted" };
  });
}
