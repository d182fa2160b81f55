import type { CompanyId, Setting, SettingKey } from "@balcao/contract";
import { isSettingKey, settingRule } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import { readStored, writeSetting } from "./repository.ts";
import { keysFor, toSetting, valueOf } from "./values.ts";

/** One setting of the caller's company, as stored or by default. */
export async function readSetting(
  tx: Tx,
  { companyId }: Pick<Ctx, "companyId">,
  key: SettingKey,
): Promise<string> {
  return valueOf(await readStored(tx, companyId), key);
}

/** Every setting that any user of the company may know. */
export async function readPublicSettings(
  tx: Tx,
  companyId: CompanyId,
): Promise<{ key: SettingKey; value: string }[]> {
  const stored = await readStored(tx, companyId);
  return keysFor("without-secrets").map((key) => ({ key, value: valueOf(stored, key) }));
}

export type SettingsDeps = { db: Database; realtime: Realtime };

/** The company's switches and keys (wire-contract 4.6, 5.4). */
export function createSettingsFeature({ db, realtime }: SettingsDeps) {
  /** Every key of the product is in the list: clients of the family crash on a missing one. */
  async function list(ctx: UserCtx): Promise<Setting[]> {
    const reader = hasPermission(ctx, "settings:read-secrets") ? "with-secrets" : "without-secrets";
    const stored = await db.transaction(ctx, (tx) => readStored(tx, ctx.companyId));
    return keysFor(reader).map((key) => toSetting(ctx.companyId, key, valueOf(stored, key)));
  }

  async function write(ctx: UserCtx, key: string, value: string): Promise<Setting> {
    if (!isSettingKey(key)) throw new DomainError("ERR_NO_SETTING_FOUND");
    const { values, secret } = settingRule(key);
    if (values && !values.includes(value)) {
      throw new DomainError("ERR_INVALID_REQUEST", {
        issues: [{ path: "body.value", message: `must be one of ${values.join(", ")}` }],
      });
    }
    const setting = toSetting(ctx.companyId, key, value);
    await db.transaction(ctx, async (tx) => {
      await writeSetting(tx, ctx.companyId, key, value);
      // Secrets are in no event, whoever listens.
      if (secret) return;
      tx.onCommit(() =>
        realtime.publish(ctx.companyId, "settings", { action: "update", setting }, [
          rooms.main(ctx.companyId),
        ]),
      );
    });
    return setting;
  }

  return {
    register(routes: Routes): void {
      routes.handle("GET /settings", ({ ctx }) => list(ctx));
      routes.handle("PUT /settings/:key", ({ ctx, params, body }) =>
        write(ctx, params.key, body.value),
      );
    },
  };
}
