import type { CompanyId, PlanId, UserId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import type { UserCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { openDatabase } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { createSeal } from "../../platform/secrets/seal.ts";
import { systemSources } from "../../platform/sources.ts";
import { quietLog } from "../../testing/app.ts";
import { testDatabase } from "../../testing/database.ts";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import { createGiven } from "../../testing/given.ts";
import { createMailsFeature } from "../mails/index.ts";
import { ask, claimDueAcrossCompanies, takeNotification } from "./asking.ts";
import { createBanks } from "./banks/index.ts";
import type { Arrived, Bank } from "./banks/port.ts";
import { openCharge, showSubscription } from "./checkout.ts";
import { createBillingFeature } from "./index.ts";
import { readPayeeAcrossCompanies, saveSettingsAcrossCompanies } from "./settings.ts";

const PRICE_CENTS = 19_990;
const payer = {
  ...{ firstName: "Renata", lastName: "", address2: "Rua 1", city: "Recife", state: "PE" },
  ...{ zipcode: "50030-230", country: "BR" as const },
};

class Crash extends Error {}

/** The process: it ends at one of its steps, and whatever it does after that has no effect. */
function createProcess() {
  let [steps, endsAt, isOver] = [0, Number.POSITIVE_INFINITY, false];
  return {
    start(endsAtStep: number): void {
      [steps, endsAt, isOver] = [0, endsAtStep, false];
    },
    step(): void {
      steps += 1;
      isOver ||= steps === endsAt;
      if (isOver) throw new Crash(`at step ${steps}`);
    },
    isOver: () => isOver,
  };
}

/** A bank at which a process can end before a question and after its answer. */
function createBank(step: () => void, knowsTxid: boolean) {
  const codes = new Map<string, Arrived[]>();
  const bank: Bank = {
    async createCharge(_receiver, { txid, now }) {
      step();
      const bankId = knowsTxid ? txid : `${txid}-${codes.size}`;
      if (!codes.has(bankId)) codes.set(bankId, []);
      step();
      return { code: `pix ${bankId}`, bankId, expiresAt: new Date(now.getTime() + 3_600_000) };
    },
    async arrivedFor(_receiver, { bankId }) {
      step();
      const arrived = codes.get(bankId ?? "") ?? [];
      step();
      return arrived;
    },
  };
  /** The customer pays a code, once. */
  function pay(bankId: string, receivedAt: Date): void {
    const arrived = codes.get(bankId);
    if (arrived?.length === 0) {
      arrived.push({ transferId: `E-${bankId}`, valueCents: PRICE_CENTS, receivedAt });
    }
  }
  return { bank, codes, pay };
}

test.each([
  { kind: "efi", knowsTxid: true },
  { kind: "asaas", knowsTxid: false },
] as const)(
  "a process that crashes at any step of paying at $kind: one payment, one month, one e-mail",
  async ({ kind, knowsTxid }) => {
    const { db: everything, ...installation } = await testDatabase();
    let nowMs = Date.parse("2026-11-20T15:00:00.000Z");
    const clock = { now: () => new Date(nowMs) };
    const given = createGiven({
      ...{ db: everything, ...installation, sources: { ...systemSources, clock } },
      idle: async () => undefined,
    });
    const own = createProcess();
    const db = crashing(
      openDatabase({
        ...{ serviceUrl: installation.ownerUrl, appUrl: installation.appUrl, poolSize: 4 },
        ...{ log: quietLog(), onStatement: own.step },
      }),
      own,
    );
    atEndOfFile(() => db.close());
    const { bank, codes, pay } = createBank(own.step, knowsTxid);
    const published: CompanyId[] = [];
    const wake = { on: () => () => undefined, notify: () => undefined } as unknown as Wake;
    const base = { db, clock, wake, log: quietLog() };
    const deps = {
      ...{ ...base, random: systemSources.random, seal: createSeal(installation.secrets.seal) },
      ...{ publicUrl: null, mails: createMailsFeature({ ...base, server: null, brand: "" }) },
      banks: { ...createBanks({ callMs: 1_000, efiUrl: null, asaasUrl: null }), [kind]: bank },
      realtime: { publish: (to: CompanyId) => published.push(to) } as unknown as Realtime,
      connectionsChanged: () => undefined,
    };
    const billing = createBillingFeature(deps);
    const query = <Row extends object>(statement: ReturnType<typeof sql>) =>
      everything.acrossCompanies((tx) => tx.query<Row>(statement));
    await given.admin({ company: await given.company(), super: true });
    await saveSettingsAcrossCompanies(deps, {
      ...{ bank: "asaas", receiver: "Conecta", city: "Recife", pixKey: "pix@conecta.example" },
      ...{ contact: "", asaas: { apiKey: "x", sandbox: false } },
    });
    await query(sql`update billing_settings set bank = ${kind}`);
    const { notifyKey } = await readPayeeAcrossCompanies(deps);
    const [plan] = await query<{ id: PlanId }>(sql`
      insert into plans (name, users, connections, queues, value_cents)
      values ('Equipe', 5, 5, 5, ${PRICE_CENTS}) returning id`);

    let step = 0;
    while (await crashesAt((step += 1))) await Promise.resolve();
    // Every statement, commit, call of the bank and event is one.
    expect(step).toBeGreaterThan(40);

    /** A company pays, in a process that ends at a step; false: it has paid before that step came. */
    async function crashesAt(endsAt: number): Promise<boolean> {
      const { id: companyId } = await given.company({ dueDate: null });
      await query(sql`
        update companies set plan_id = ${plan?.id}, due_date = '2026-11-25T02:59:59.999Z', recurrence = 'MENSAL'
        where id = ${companyId}`);
      await everything.acrossCompanies((tx) => billing.reconcile(tx, { companyId }));
      const ctx = adminOf(companyId);
      const { invoice: first, paidUntil } = await showSubscription(
        { ...deps, db: everything },
        ctx,
      );
      const shown = new Map<string, string>();
      let isNotified = false;
      const codesBefore = codes.size;

      /** Runs the whole payment: the browser, the customer, the bank and the jobs. */
      async function goOn(): Promise<void> {
        const { invoice } = await showSubscription(deps, ctx);
        if (first && invoice?.id === first.id) {
          const charge = await openCharge(deps, ctx, { ...payer, invoiceId: first.id });
          shown.set(charge.qrcode.qrcode.replace("pix ", ""), charge.txid);
        }
        for (const [bankId, txid] of shown) {
          pay(bankId, clock.now());
          const notice = { pix: [{ txid }], payment: { pixQrCodeId: bankId } };
          if (!isNotified) await takeNotification(deps, notifyKey, notice);
          isNotified = true;
        }
        for (const due of await claimDueAcrossCompanies(deps, 50)) await ask(deps, due);
        await billing.reconcileAll();
      }

      own.start(endsAt);
      const hasCrashed = await goOn().then(
        () => false,
        (error: unknown) => {
          if (error instanceof Crash || own.isOver()) return true;
          throw error;
        },
      );
      // A minute later another process goes on.
      own.start(Number.POSITIVE_INFINITY);
      nowMs += 60_000;
      await goOn();

      const [after] = await query<object>(sql`
        select c.due_date as due,
          (select json_agg(i.status order by i.id) from invoices i where i.company_id = c.id) as invoices,
          (select json_agg(y.state) from payments y where y.company_id = c.id) as payments,
          (select json_agg(g.code) from charges g where g.company_id = c.id) as codes,
          (select sum(e.value_cents)::int from billing_events e where e.company_id = c.id and e.action = 'payment') as noted,
          (select json_agg(m.kind) from mails m where m.company_id = c.id) as mails
        from companies c where c.id = ${companyId}`);
      const [code] = [...shown.keys()];
      expect({ endsAt, ...after }).toEqual({
        ...{ endsAt, due: new Date(paidUntil ?? ""), invoices: ["paid", "open"] },
        ...{ payments: ["accepted"], noted: PRICE_CENTS, mails: ["invoice-paid"] },
        codes: [`pix ${code}`],
      });
      // A second code, of a bank that does not know our txid, was shown to nobody.
      expect(shown.size).toBe(1);
      expect(codes.size - codesBefore).toBeLessThanOrEqual(knowsTxid ? 1 : 2);
      // An event is lost with a process that ends between commit and event; open pages ask for themselves.
      const events = published.filter((to) => to === companyId).length;
      expect(events).toBeLessThanOrEqual(1);
      if (!hasCrashed) expect(events).toBe(1);
      return hasCrashed;
    }
  },
);

function adminOf(companyId: CompanyId): UserCtx {
  return {
    companyId,
    requestId: "crashes",
    actor: {
      ...{ kind: "user", userId: 1 as UserId, name: "Renata", profile: "admin", super: false },
      ...{ seesNoQueue: true, queueIds: [], ownerlessQueueIds: [] },
      plan: {
        ...{ useCampaigns: true, useKanban: true, useOpenAi: true, useIntegrations: true },
        ...{ useSchedules: true, useInternalChat: true, useExternalApi: true },
      },
    },
  };
}

/** Steps before and after each commit, and between a commit and what follows from it; statements are steps by themselves. */
function crashing(inner: Database, own: ReturnType<typeof createProcess>): Database {
  const around =
    <T>(work: (tx: Tx) => Promise<T>) =>
    async (tx: Tx): Promise<T> => {
      const result = await work({
        ...tx,
        onCommit: (action) =>
          tx.onCommit(() => {
            own.step();
            action();
          }),
      });
      own.step();
      return result;
    };
  async function andAfter<T>(run: Promise<T>): Promise<T> {
    const result = await run;
    own.step();
    return result;
  }
  return {
    ...inner,
    transaction: (scope, work, planning) =>
      andAfter(inner.transaction(scope, around(work), planning)),
    acrossCompanies: (work) => andAfter(inner.acrossCompanies(around(work))),
  };
}
