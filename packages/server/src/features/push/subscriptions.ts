import type { CompanyId, InputOf, PushChoices, PushLanguage } from "@balcao/contract";
import { pushKinds } from "@balcao/contract";
import { and, eq } from "drizzle-orm";
import { z } from "zod";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { timeZoneOf } from "../../platform/db/records.ts";
import { pushChoices, pushSubscriptions } from "../../platform/db/schema/index.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { NoticesDeps, Subscribers } from "./notices.ts";
import type { PushServices, Subscription } from "./services.ts";
import { testWords } from "./words.ts";

type SubscriptionsDeps = Pick<NoticesDeps, "db" | "clock"> & {
  seal: Seal;
  services: PushServices;
  subscribers: Subscribers;
};

/** One account has no more browsers than this; the one that was used longest ago goes. */
const BROWSERS_MAX = 20;

const purposeOf = (companyId: CompanyId, endpoint: string) =>
  `push subscription ${companyId} ${endpoint}`;

const storedKeys = z.object({ p256dh: z.string(), auth: z.string() });

/** A stored subscription with its keys; null if it was sealed with another secret. */
export function openSubscription(
  seal: Seal,
  companyId: CompanyId,
  { endpoint, secrets }: { endpoint: string; secrets: Buffer },
): Subscription | null {
  try {
    const text = seal.open(secrets, purposeOf(companyId, endpoint)).toString("utf8");
    return { endpoint, keys: storedKeys.parse(JSON.parse(text)) };
  } catch {
    return null;
  }
}

/** A visitor of the provider has the user's rights, but the user's phone is the user's. */
function refuseVisitor({ actor }: UserCtx): void {
  if (actor.isVisitor) throw new DomainError("ERR_NO_PERMISSION");
}

/** The caller's choices, and the key with which a browser subscribes. */
export async function showPush({ db, services }: SubscriptionsDeps, ctx: UserCtx) {
  const choices = await db.transaction(ctx, async (tx) => {
    const [own] = await tx.orm
      .select({ choices: pushChoices.choices })
      .from(pushChoices)
      .where(isOwn(ctx, pushChoices));
    return own?.choices ?? (await firstChoices(ctx, tx));
  });
  return { publicKey: await services.publicKey(), choices };
}

/** Everything, at any time, until the user chooses. */
async function firstChoices(ctx: UserCtx, tx: Tx): Promise<PushChoices> {
  const timeZone = await timeZoneOf(ctx, tx);
  return { kinds: [...pushKinds], content: "full", quiet: null, timeZone };
}

export async function saveChoices(
  { db, clock }: SubscriptionsDeps,
  ctx: UserCtx,
  choices: PushChoices,
): Promise<PushChoices> {
  refuseVisitor(ctx);
  const values = { companyId: ctx.companyId, userId: ctx.actor.userId };
  const set = { choices, updatedAt: clock.now() };
  await db.transaction(ctx, ({ orm }) =>
    orm
      .insert(pushChoices)
      .values({ ...values, ...set })
      .onConflictDoUpdate({ target: [pushChoices.companyId, pushChoices.userId], set }),
  );
  return choices;
}

/**
 * Subscribes this browser for the caller's session. A browser has one address, so whoever had it before gets nothing more
 * there: also an account of another company.
 */
export async function subscribe(
  { db, clock, seal, services, subscribers }: SubscriptionsDeps,
  ctx: UserCtx,
  { endpoint, keys, language }: InputOf<"POST /push/subscriptions">["body"],
): Promise<undefined> {
  refuseVisitor(ctx);
  if (!services.isAllowed(endpoint)) throw new DomainError("ERR_PUSH_SERVICE");
  const { companyId, actor } = ctx;
  const secrets = seal.close(Buffer.from(JSON.stringify(keys)), purposeOf(companyId, endpoint));
  const now = clock.now();
  await db.acrossCompanies(async (tx) => {
    await tx.query(subscribeStatement, [
      ...[companyId, actor.userId, actor.sessionId ?? null, endpoint, secrets, language, now],
      BROWSERS_MAX,
    ]);
    subscribers.added(tx, companyId);
  });
  return undefined;
}

export async function unsubscribe(
  { db }: Pick<SubscriptionsDeps, "db">,
  ctx: UserCtx,
  endpoint: string,
): Promise<undefined> {
  await db.transaction(ctx, ({ orm }) =>
    orm
      .delete(pushSubscriptions)
      .where(and(isOwn(ctx, pushSubscriptions), eq(pushSubscriptions.endpoint, endpoint))),
  );
  return undefined;
}

/** Sends a message to one of the caller's own browsers, whatever the choices are. */
export async function sendTest(
  { db, clock, seal, services }: SubscriptionsDeps,
  ctx: UserCtx,
  endpoint: string,
): Promise<{ isTaken: boolean }> {
  refuseVisitor(ctx);
  const [row] = await db.transaction(ctx, ({ orm }) =>
    orm
      .select()
      .from(pushSubscriptions)
      .where(and(isOwn(ctx, pushSubscriptions), eq(pushSubscriptions.endpoint, endpoint))),
  );
  if (!row) return { isTaken: false };
  const language = row.language as PushLanguage; // written by `subscribe` only
  const payload = {
    ...testWords(language),
    userId: ctx.actor.userId,
    ...{ tag: "test", url: "/tickets", at: clock.now().toISOString(), lang: language },
  };
  const to = openSubscription(seal, ctx.companyId, row);
  const how = { topic: "test", isUrgent: true };
  const outcome = to
    ? await services.send(to, JSON.stringify(payload), how)
    : ({ kind: "gone" } as const);
  if (outcome.kind === "gone") await unsubscribe({ db }, ctx, endpoint);
  return { isTaken: outcome.kind === "taken" };
}

type OwnTable = typeof pushChoices | typeof pushSubscriptions;

const isOwn = ({ companyId, actor }: UserCtx, table: OwnTable) =>
  and(eq(table.companyId, companyId), eq(table.userId, actor.userId));

/** The address belongs to one account: another one's row becomes the caller's. */
const subscribeStatement = {
  name: "push.subscribe-across-companies",
  text: `
with oldest as (
  delete from push_subscriptions where id in (
    select id from push_subscriptions where company_id = $1 and user_id = $2 and endpoint <> $4
    order by updated_at desc offset $8::int - 1)
)
insert into push_subscriptions (company_id, user_id, session_id, token_version, endpoint, secrets, language, created_at, updated_at)
select u.company_id, u.id, $3::uuid, u.token_version, $4, $5, $6, $7, $7 from users u
where u.company_id = $1 and u.id = $2 and u.deleted_at is null
on conflict (endpoint) do update set company_id = excluded.company_id, user_id = excluded.user_id,
  session_id = excluded.session_id, token_version = excluded.token_version, secrets = excluded.secrets,
  language = excluded.language, updated_at = excluded.updated_at`,
};
