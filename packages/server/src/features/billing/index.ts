import type { Tx } from "../../platform/db/database.ts";
import { doneBy } from "../../platform/db/database.ts";
import type { companies } from "../../platform/db/schema/index.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { AskingDeps } from "./asking.ts";
import { createAsking, takeNotification } from "./asking.ts";
import { openCharge, sayPaid, showSubscription } from "./checkout.ts";
import type { Concerned } from "./invoices.ts";
import { forgetChoice, listInvoices, note, reconcileAcrossCompanies } from "./invoices.ts";
import {
  confirmCharge,
  listOpenChargesAcrossCompanies,
  listUnclearAcrossCompanies,
  remindAcrossCompanies,
  settleAcrossCompanies,
} from "./payments.ts";
import {
  readPayeeAcrossCompanies,
  saveSettingsAcrossCompanies,
  shownSettings,
  testBankAcrossCompanies,
} from "./settings.ts";

export { createBanks, type BankSettings } from "./banks/index.ts";

type Company = typeof companies.$inferSelect;
type CompanyChanged = { before: Company; after: Company; actorName: string };

export type Billing = ReturnType<typeof createBillingFeature>;

/** Invoices, and how companies pay them (wire-contract 5.25, behaviour 9.4 and 9.5). */
export function createBillingFeature(deps: AskingDeps) {
  const { db, clock } = deps;

  /** For every change of plan, price or due date, in its transaction (`reconcileAcrossCompanies`). */
  async function reconcile(tx: Tx, concerned: Concerned): Promise<void> {
    const connections = await reconcileAcrossCompanies(tx, concerned, clock.now());
    if (connections) deps.connectionsChanged(tx);
  }

  return {
    reconcile,
    /** Asks the banks what came in. */
    asking: createAsking(deps),
    /** A super user has changed a company: what that says about money goes into the ledger, and its invoice follows. */
    async companyChanged(tx: Tx, { before, after, actorName }: CompanyChanged): Promise<void> {
      const event = { companyId: after.id, actorName, createdAt: clock.now() };
      if (before.dueDate?.getTime() !== after.dueDate?.getTime()) {
        const { dueDate: dueBefore } = before;
        await note(tx, { ...event, action: "due-date", dueBefore, dueAfter: after.dueDate });
      }
      if (before.planId !== after.planId) {
        await note(tx, { ...event, action: "plan" });
        await forgetChoice(tx, after.id);
      }
      await reconcile(tx, { companyId: after.id });
    },
    /** For the job runner, hourly. */
    reconcileAll: () => db.acrossCompanies((tx) => reconcile(tx, "all")),

    /** For the job runner, daily. */
    remind: () => remindAcrossCompanies(deps),

    register(routes: Routes): void {
      routes.handle("GET /invoices/all", ({ ctx, query: { companyId, ...query } }) => {
        const isAsked = ctx.actor.super && companyId !== undefined;
        return listInvoices(deps, { company: isAsked ? { companyId } : ctx, ...query });
      });
      routes.handle("GET /subscription", ({ ctx }) => showSubscription(deps, ctx));
      routes.handle("POST /subscription", ({ ctx, body }) => openCharge(deps, ctx, body));
      routes.handle("POST /subscription/:invoiceId/said-paid", ({ ctx, params }) =>
        sayPaid(deps, ctx, params.invoiceId),
      );
      routes.handle("POST /subscription/webhook/:key", ({ params, body }) =>
        takeNotification(deps, params.key, body),
      );
      routes.handle("POST /subscription/webhook/:key/pix", ({ params, body }) =>
        takeNotification(deps, params.key, body),
      );
      routes.handle("GET /billing/settings", async () =>
        shownSettings(deps, await readPayeeAcrossCompanies(deps)),
      );
      routes.handle("POST /billing/settings/test", () => testBankAcrossCompanies(deps));
      routes.handle("PUT /billing/settings", ({ ctx, body }) =>
        saveSettingsAcrossCompanies(doneBy(deps, ctx), body),
      );
      routes.handle("GET /billing/charges", ({ query }) =>
        listOpenChargesAcrossCompanies(deps, query.pageNumber),
      );
      routes.handle("POST /billing/charges/:chargeId/pay", ({ ctx, params, body }) =>
        confirmCharge(doneBy(deps, ctx), ctx, { id: params.chargeId, value: body.value }),
      );
      routes.handle("GET /billing/payments", ({ query }) =>
        listUnclearAcrossCompanies(deps, query.pageNumber),
      );
      routes.handle("POST /billing/payments/:paymentId/settle", ({ ctx, params, body }) =>
        settleAcrossCompanies(doneBy(deps, ctx), ctx, { id: params.paymentId, as: body.as }),
      );
    },
  };
}
