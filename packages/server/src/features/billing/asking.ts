import { timingSafeEqual } from "node:crypto";
import type { BankKind, BankNotice, ChargeId } from "@balcao/contract";
import { DomainError } from "../../platform/context.ts";
import type { PreparedStatement } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import { DueWorker } from "../../platform/jobs/due-worker.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { PaymentsDeps } from "./payments.ts";
import { receivePayment } from "./payments.ts";
import type { SettingsDeps } from "./settings.ts";
import { readPayeeAcrossCompanies } from "./settings.ts";

export type AskingDeps = SettingsDeps & PaymentsDeps & { wake: Wake; log: Logger };

/** A notification has come. */
const TOPIC = "billing-charges";
const EVERY_MS = 60_000;
const AT_ONCE = 4;

type Due = { id: ChargeId; bank: BankKind; txid: string; bankId: string | null };

/**
 * Asks the banks each minute what came in for charges that can be paid, and once after their end: notifications can be lost.
 * A claim is the time of the question, so several processes share the work, and what is cut off is asked again.
 */
export function createAsking(deps: AskingDeps): DueWorker<Due> {
  return new DueWorker<Due>({
    name: "open charges",
    log: deps.log,
    lookEveryMs: EVERY_MS,
    wokenBy: { wake: deps.wake, topic: TOPIC, inMs: 0 },
    look: async (limit) => ({ due: await claimDueAcrossCompanies(deps, limit) }),
    work: {
      atOnce: AT_ONCE,
      batch: 50,
      idOf: ({ id }) => id,
      run: (due) => ask(deps, due),
    },
  });
}

/** The charges whose turn it is to be asked for. */
export function claimDueAcrossCompanies(
  { db, clock }: Pick<AskingDeps, "db" | "clock">,
  limit: number,
): Promise<Due[]> {
  return db.acrossCompanies((tx) => tx.query<Due>(dueStatement, [clock.now(), limit]));
}

/** Asks a bank what came in for a charge, and takes it. */
export async function ask(deps: AskingDeps, { id, bank, txid, bankId }: Due): Promise<void> {
  const payee = await readPayeeAcrossCompanies(deps);
  const now = deps.clock.now();
  try {
    const arrived = await deps.banks[bank].arrivedFor?.(payee, { txid, bankId, now });
    for (const { transferId, valueCents, receivedAt } of arrived ?? []) {
      await receivePayment(deps, {
        ...{ chargeId: id, bank, transferId, valueCents, receivedAt },
        actorName: null,
      });
    }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    // The next minute asks again.
    const { code, data } = error;
    deps.log.warn({ bank, chargeId: id, code, data }, "a bank did not say what came in");
  }
}

/**
 * A bank's notification. Nothing in it is believed: the charges that it names are asked for at once. Another key than ours is
 * answered as if the address did not exist.
 */
export async function takeNotification(
  deps: AskingDeps,
  key: string,
  { pix = [], payment = {} }: BankNotice,
): Promise<{ ok: true }> {
  const { notifyKey } = await readPayeeAcrossCompanies(deps);
  if (notifyKey === "" || !isSame(key, notifyKey)) throw new DomainError("ERR_ROUTE_NOT_FOUND");
  const txids = pix.flatMap(({ txid }) => (typeof txid === "string" ? [txid] : []));
  const { pixQrCodeId } = payment;
  const bankId = typeof pixQrCodeId === "string" ? pixQrCodeId : null;
  if (txids.length > 0 || bankId !== null) {
    await deps.db.acrossCompanies(async (tx) => {
      await tx.query(hintStatement, [txids, bankId]);
      deps.wake.notify(tx, TOPIC);
    });
  }
  return { ok: true };
}

/** Compares in constant time. */
function isSame(given: string, expected: string): boolean {
  const [mine, yours] = [Buffer.from(expected), Buffer.from(given)];
  return mine.length === yours.length && timingSafeEqual(mine, yours);
}

// A transfer can still arrive some minutes after the charge's end. Those of other banks are confirmed by people.
const dueStatement: PreparedStatement = {
  name: "billing.due-charges",
  text: `
update charges g set asked_at = $1
where g.id in (
  select x.id from charges x
  where x.paid_at is null and x.bank in ('efi', 'asaas') and x.code <> ''
    and x.created_at > $1::timestamptz - interval '7 days'
    and (x.asked_at is null or (x.asked_at <= $1::timestamptz - interval '55 s' and x.asked_at < x.expires_at + interval '10 min'))
  order by x.asked_at nulls first, x.id
  limit $2
  for update skip locked)
returning g.id, g.bank, g.txid, g.bank_id as "bankId"`,
};

const hintStatement: PreparedStatement = {
  name: "billing.hint-charges",
  text: `update charges set asked_at = null where paid_at is null and (txid = any($1::text[]) or bank_id = $2)`,
};
