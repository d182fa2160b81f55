import type { ChargeId, CompanyId, PlanId, UserId } from "@balcao/contract";
import { recurrenceMonths } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import type { UserCtx } from "../../platform/context.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { createSeal } from "../../platform/secrets/seal.ts";
import { systemSources } from "../../platform/sources.ts";
import { quietLog } from "../../testing/app.ts";
import { testDatabase } from "../../testing/database.ts";
import { createGiven } from "../../testing/given.ts";
import { seed, seededRandom, sized } from "../../testing/soak.ts";
import { createBanks } from "./banks/index.ts";
import { openCharge, showSubscription } from "./checkout.ts";
import { createBillingFeature } from "./index.ts";
import { receivePayment, settleAcrossCompanies } from "./payments.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** São Paulo has no summer time. */
const ZONE_MS = 3 * HOUR_MS;

const payer = {
  ...{ firstName: "Renata", lastName: "", address2: "Rua 1", city: "Recife", state: "PE" },
  ...{ zipcode: "50030-230", country: "BR" as const },
};

/** The end of São Paulo's day of a moment, some months later: what the product does with a library, by hand. */
function endAfter(momentMs: number, months: number): number {
  const local = new Date(momentMs - ZONE_MS);
  const [year, month] = [local.getUTCFullYear(), local.getUTCMonth() + months];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const date = Math.min(local.getUTCDate(), last);
  return Date.UTC(year, month, date) + DAY_MS - 1 + ZONE_MS;
}

test(`any history of changes, payments and clocks keeps one open invoice, exact due dates and a true ledger (${seed})`, async () => {
  const { db, ...rest } = await testDatabase();
  let nowMs = Date.parse("2026-01-30T15:00:00.000Z");
  const clock = { now: () => new Date(nowMs) };
  const given = createGiven({
    ...{ db, ...rest, sources: { ...systemSources, clock }, idle: async () => undefined },
  });
  const realtime = { publish: () => undefined } as unknown as Realtime;
  let connectionChanges = 0;
  const deps = {
    ...{ db, clock, realtime, random: systemSources.random, seal: createSeal(rest.secrets.seal) },
    ...{ wake: { on: () => () => undefined, notify: () => undefined } as unknown as Wake },
    ...{ log: quietLog(), publicUrl: null, mails: { add: async () => undefined } },
    banks: createBanks({ callMs: 1_000, efiUrl: null, asaasUrl: null }),
    connectionsChanged: () => (connectionChanges += 1),
  };
  const billing = createBillingFeature(deps);
  await given.admin({ company: await given.company(), super: true });
  const query = <Row extends object>(statement: ReturnType<typeof sql>) =>
    db.acrossCompanies((tx) => tx.query<Row>(statement));

  const random = seededRandom(seed);
  const upTo = (count: number): number => Math.floor(random() * count);
  const oneOf = <T>(list: readonly T[]): T => list[upTo(list.length)] as T;
  const prices = [9_990, 19_990, 39_990, 0];
  const plans = await Promise.all(
    prices.map(async (cents, index) => {
      const [row] = await query<{ id: PlanId }>(sql`
        insert into plans (name, users, connections, queues, value_cents)
        values (${`Plano ${index}`}, 5, 5, 5, ${cents}) returning id`);
      if (!row) throw new Error("no plan");
      return { id: row.id, cents };
    }),
  );
  const priceOf = (id: PlanId): number => plans.find((plan) => plan.id === id)?.cents ?? -1;

  for (let history = 0; history < sized({ test: 6, soak: 120 }); history += 1) {
    const { id: companyId } = await given.company({ dueDate: null });
    await live(companyId);
  }
  expect(connectionChanges).toBeGreaterThan(0);

  type Model = {
    dueMs: number | null;
    planId: PlanId;
    chosen: PlanId | null;
    /** When the choice of a company whose plan costs nothing is due. */
    choiceMs: number;
    recurrence: keyof typeof recurrenceMonths;
    /** Due dates that are paid. */
    paid: Set<number>;
    accepted: number;
  };

  async function live(companyId: CompanyId): Promise<void> {
    const ctx: UserCtx = {
      companyId,
      requestId: "history",
      actor: {
        ...{ kind: "user", userId: 1 as UserId, name: "Renata", profile: "admin", super: false },
        ...{ seesNoQueue: true, queueIds: [], ownerlessQueueIds: [] },
        plan: {
          ...{ useCampaigns: true, useKanban: true, useOpenAi: true, useIntegrations: true },
          ...{ useSchedules: true, useInternalChat: true, useExternalApi: true },
        },
      },
    };
    const first = plans[0]?.id as PlanId;
    const model: Model = {
      ...{ dueMs: null, planId: first, chosen: null, choiceMs: 0, recurrence: "MENSAL" },
      ...{ paid: new Set(), accepted: 0 },
    };
    const issued: { id: ChargeId; cents: number; transfers: string[] }[] = [];
    const months = () => recurrenceMonths[model.recurrence];
    const isFree = () => priceOf(model.planId) === 0;
    const isOpen = () => {
      if (isFree()) return model.chosen !== null && model.choiceMs > nowMs;
      return model.dueMs !== null && !model.paid.has(model.dueMs);
    };

    await change({ planId: first });

    /** The company as a super user changes it. */
    async function change(columns: {
      planId?: PlanId;
      dueMs?: number | null;
      recurrence?: Model["recurrence"];
    }): Promise<void> {
      await db.acrossCompanies(async (tx) => {
        const read = sql`select * from companies where id = ${companyId} for no key update`;
        const [before] = await tx.query<{ plan_id: PlanId; due_date: Date | null }>(read);
        const { planId = null, recurrence = null } = columns;
        const due = columns.dueMs === undefined ? before?.due_date : toDate(columns.dueMs);
        await tx.query(sql`
          update companies set plan_id = coalesce(${planId}, plan_id), due_date = ${due ?? null},
            recurrence = coalesce(${recurrence}, recurrence) where id = ${companyId}`);
        const [after] = await tx.query<{ plan_id: PlanId; due_date: Date | null }>(read);
        const rowOf = (row: typeof before) =>
          ({ id: companyId, planId: row?.plan_id, dueDate: row?.due_date ?? null }) as never;
        await billing.companyChanged(tx, {
          ...{ before: rowOf(before), after: rowOf(after), actorName: "Provedor" },
        });
      });
      if (columns.planId !== undefined && columns.planId !== model.planId) model.chosen = null;
      Object.assign(model, columns);
      // The chosen plan is forgotten with its invoice.
      if (!isOpen()) model.chosen = null;
    }

    const steps: Record<string, () => Promise<void>> = {
      plan: () => change({ planId: oneOf(plans).id }),
      recurrence: () =>
        change({ recurrence: oneOf(["MENSAL", "BIMESTRAL", "SEMESTRAL", "ANUAL"] as const) }),
      due: () =>
        change({ dueMs: upTo(8) === 0 ? null : endAfter(nowMs + (upTo(60) - 15) * DAY_MS, 0) }),
      time: async () => {
        // Now and then a clock is set back.
        nowMs += upTo(10) === 0 ? -upTo(3) * HOUR_MS : upTo(12 * 24) * HOUR_MS;
        await billing.reconcileAll();
        if (!isOpen()) model.chosen = null;
      },
      job: async () => {
        await Promise.all([billing.reconcileAll(), billing.reconcileAll()]);
      },
      async charge() {
        const { invoice, canPay } = await showSubscription(deps, ctx);
        expect(canPay).toBe(isOpen() || isFree());
        if (!canPay) return;
        const offered = plans.filter(({ cents }) => cents > 0);
        const plan = upTo(3) === 0 || !invoice ? oneOf(offered).id : undefined;
        const wish = { ...payer, invoiceId: invoice?.id, ...(plan === undefined ? {} : { plan }) };
        if (!invoice) {
          model.choiceMs = endAfter(nowMs + 7 * DAY_MS, 0);
          while (model.paid.has(model.choiceMs)) model.choiceMs += DAY_MS;
        }
        const made = await Promise.all([openCharge(deps, ctx, wish), openCharge(deps, ctx, wish)]);
        expect(made[0].txid).toBe(made[1].txid);
        if (plan !== undefined) model.chosen = plan === model.planId ? null : plan;
        const cents = Math.round(Number(made[0].valor.original) * 100);
        expect(cents).toBe(priceOf(model.chosen ?? model.planId) * months());
        if (!issued.some(({ id }) => id === made[0].id))
          issued.push({ id: made[0].id, cents, transfers: [] });
      },
      async pay() {
        const charge = issued.at(-1);
        if (charge) await transfer(charge, charge.cents, systemSources.random.hex(8));
      },
      async payLate() {
        if (issued.length === 0) return;
        const charge = oneOf(issued);
        const cents = upTo(2) === 0 ? charge.cents : charge.cents + 100 - upTo(200);
        if (cents > 0) await transfer(charge, cents, systemSources.random.hex(8));
      },
      async tellAgain() {
        const told = issued.filter(({ transfers }) => transfers.length > 0);
        if (told.length === 0) return;
        const charge = oneOf(told);
        const before = await stateOf();
        await transfer(charge, charge.cents, oneOf(charge.transfers));
        expect(await stateOf()).toEqual(before);
      },
      async settle() {
        const [payment] = await query<{ id: never; months: number; late: PlanId | null }>(sql`
          select y.id, coalesce(o.months, i.months) as months,
            case when o.id is null and i.is_chosen then i.plan_id end as late
          from payments y
          join charges g on g.id = y.charge_id join invoices i on i.id = g.invoice_id
          left join invoices o on o.company_id = y.company_id and o.status = 'open'
          where y.company_id = ${companyId} and y.state = 'unclear' order by y.id limit 1`);
        if (!payment) return;
        const as = oneOf(["accepted", "returned"] as const);
        await settleAcrossCompanies(deps, ctx, { id: payment.id, as });
        const late = isFree() ? payment.late : null;
        if (as === "accepted") await hasPaid(payment.months, model.chosen ?? late);
      },
    };

    /** The bank tells of a transfer, sometimes five times at once. */
    async function transfer(charge: (typeof issued)[number], valueCents: number, id: string) {
      const [invoice] = await query<{ status: string; cents: number; months: number }>(sql`
        select i.status, i.value_cents as cents, i.months from charges g join invoices i on i.id = g.invoice_id
        where g.id = ${charge.id}`);
      const isNew = !charge.transfers.includes(id);
      const told = {
        ...{ chargeId: charge.id, bank: "simulated" as const, transferId: id, valueCents },
        ...{ receivedAt: clock.now(), actorName: null },
      };
      await Promise.all(
        Array.from({ length: upTo(3) === 0 ? 5 : 1 }, () => receivePayment(deps, told)),
      );
      charge.transfers.push(id);
      const pays =
        invoice?.status === "open" && invoice.cents === valueCents && charge.cents === valueCents;
      if (isNew && pays) await hasPaid(invoice.months, model.chosen);
    }

    async function hasPaid(paidMonths: number, paidFor: PlanId | null): Promise<void> {
      model.accepted += 1;
      // The days that a plan without a price had left were not paid for.
      const fromMs = isFree() && paidFor !== null ? nowMs : (model.dueMs ?? nowMs);
      model.dueMs = endAfter(Math.max(fromMs, nowMs), paidMonths);
      const [row] = await query<{ planId: PlanId }>(sql`
        select plan_id as "planId" from companies where id = ${companyId}`);
      expect(row?.planId).toBe(paidFor ?? model.planId);
      model.planId = paidFor ?? model.planId;
      const [open] = await query<{ planId: PlanId; isChosen: boolean }>(sql`
        select plan_id as "planId", is_chosen as "isChosen" from invoices
        where company_id = ${companyId} and status = 'open'`);
      model.chosen = open?.isChosen ? open.planId : null;
      const paid = await query<{ due: Date }>(sql`
        select due_date as due from invoices where company_id = ${companyId} and status = 'paid'`);
      model.paid = new Set(paid.map(({ due }) => due.getTime()));
    }

    const stateOf = () =>
      query<Record<string, unknown>>(sql`
        select c.due_date, c.plan_id, c.status, c.unpaid, c.stopped_for,
          (select json_agg(i order by i.id) from invoices i where i.company_id = c.id) as invoices,
          (select json_agg(y order by y.id) from payments y where y.company_id = c.id) as payments,
          (select count(*) from billing_events e where e.company_id = c.id)::int as events
        from companies c where c.id = ${companyId}`);

    const log: string[] = [];
    const often = ["charge", "pay", "charge", "pay", "time", "due"];
    for (let step = 0; step < 40; step += 1) {
      const name = oneOf([...Object.keys(steps), ...often]);
      log.push(name);
      await steps[name]?.();
      await expectSound(log);
    }

    async function expectSound(done: string[]): Promise<void> {
      const [row] = await query<{
        due: Date | null;
        status: boolean;
        unpaid: boolean;
        stopped: Date | null;
        open: { dueMs: number; cents: number; months: number }[];
        noted: number;
        received: number;
        accepted: number;
        doubles: number;
      }>(sql`
        select c.due_date as due, c.status, c.unpaid, c.stopped_for as stopped,
          (select coalesce(json_agg(json_build_object('cents', i.value_cents, 'months', i.months,
             'dueMs', round(extract(epoch from i.due_date) * 1000))), '[]')
           from invoices i where i.company_id = c.id and i.status = 'open') as open,
          (select coalesce(sum(e.value_cents), 0)::int from billing_events e where e.company_id = c.id and e.action = 'payment') as noted,
          (select coalesce(sum(y.value_cents), 0)::int from payments y where y.company_id = c.id and y.state = 'accepted') as received,
          (select count(*)::int from payments y where y.company_id = c.id and y.state = 'accepted') as accepted,
          (select count(*)::int from (select from invoices i where i.company_id = c.id and i.status <> 'cancelled'
             group by i.due_date having count(*) > 1) d) as doubles
        from companies c where c.id = ${companyId}`);
      const expected = isOpen()
        ? [
            {
              ...{ dueMs: isFree() ? model.choiceMs : model.dueMs, months: months() },
              cents: priceOf(model.chosen ?? model.planId) * months(),
            },
          ]
        : [];
      expect(
        { ...row, due: row?.due?.getTime() ?? null },
        `after ${done.join(", ")} (seed ${seed})`,
      ).toMatchObject({
        ...{ due: model.dueMs, open: expected, accepted: model.accepted, doubles: 0 },
        ...{ noted: row?.received },
      });
      const lateMs = nowMs - (model.dueMs ?? nowMs);
      // Late companies stop with the next look; those that are not late work.
      if (lateMs < 0) expect(row).toMatchObject({ status: true, unpaid: false });
      if (row?.unpaid) expect(row.status).toBe(false);
      if (isFree()) expect(row).toMatchObject({ status: true, unpaid: false });
    }
  }
});

function toDate(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
