import type { CompanyId } from "@balcao/contract";
import pg from "pg";
import type { Ctx, ProgramToken } from "../context.ts";

/** Describes the acting user or program as the database's functions of the audit read it (`note_audit` of the migrations). */
export function actorText(ctx: Ctx & { token?: ProgramToken }): string {
  const { companyId: company, requestId: request, actor, origin, token } = ctx;
  // The database refuses JSON with half a character.
  const device = origin?.device.toWellFormed();
  const place = { company, request, address: origin?.address, device };
  if (actor.kind === "user") {
    const { userId: id, name, visitId: visit, sessionId: session } = actor;
    return JSON.stringify({
      kind: "user",
      id,
      name: name.toWellFormed(),
      visit,
      session,
      ...place,
    });
  }
  return JSON.stringify(
    token
      ? { kind: "program", id: token.id, name: token.name, ...place }
      : { kind: "system", name: actor.name, ...place },
  );
}

type Acting = { companyId: CompanyId } & Partial<Ctx>;

/**
 * The settings of a transaction that name who acts. They leave with its `begin`. The product's own work has none, so that
 * the hot paths of channels carry nothing.
 */
export function actingSettings(scope: Acting | null): string[] {
  if (!scope || !isActing(scope)) return [];
  return [`set_config('app.actor', ${pg.escapeLiteral(actorText(scope))}, true)`];
}

const isActing = (scope: Acting): scope is Ctx =>
  scope.requestId !== undefined &&
  (scope.actor?.kind === "user" || (scope.actor?.kind === "system" && "token" in scope));
