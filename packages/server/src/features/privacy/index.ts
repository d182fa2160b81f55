import { eq, sql } from "drizzle-orm";
import type { SentFile } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import { companies, erasures } from "../../platform/db/schema/index.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { SendAutomatically } from "../messages/index.ts";
import type { ErasingDeps } from "./erasing-steps.ts";
import { beginErasure, createEraser } from "./erasing.ts";
import type { PersonExportDeps } from "./exporting.ts";
import {
  createPersonExporter,
  listPersonExports,
  openPersonExport,
  requestPersonExport,
  sweepPersonExportsAcrossCompanies,
} from "./exporting.ts";
import type { PageLanguage } from "./pages.ts";
import { certificatePage } from "./pages.ts";
import { findPeople, showHeld } from "./people.ts";
import {
  addConsent,
  listConsents,
  listErasures,
  readPrivacySettings,
  saveHold,
  savePrivacySettings,
} from "./records.ts";
import type { RetentionDeps } from "./retention.ts";
import { keepRetentionAcrossCompanies, previewRetention } from "./retention.ts";

export type { ListedErasure } from "./erasing-steps.ts";

type PrivacyDeps = ErasingDeps &
  PersonExportDeps &
  RetentionDeps & { sendAutomatically: SendAutomatically };

/** Personal data of customers: finding, copying and erasing them, and how long they are kept (docs/privacy.md). */
export function createPrivacyFeature(deps: PrivacyDeps) {
  sendPrivacyText(deps);
  return {
    workers: [createEraser(deps), createPersonExporter(deps)],
    keepRetention: (signal?: AbortSignal) => keepRetentionAcrossCompanies(deps, signal),
    sweep: (signal?: AbortSignal) => sweepPersonExportsAcrossCompanies(deps, signal),
    register(routes: Routes): void {
      routes.handle("POST /privacy/find", ({ ctx, body }) => findPeople(deps, ctx, body.term));
      routes.handle("GET /privacy/contacts/:contactId", async ({ ctx, params }) =>
        showHeld(deps, ctx, params.contactId, await listPersonExports(deps, ctx, params.contactId)),
      );
      routes.handle("PUT /privacy/contacts/:contactId/hold", async ({ ctx, params, body }) => {
        await saveHold(deps, ctx, params.contactId, body.reason);
        return { message: "Hold saved" };
      });
      routes.handle("DELETE /privacy/contacts/:contactId/hold", async ({ ctx, params }) => {
        await saveHold(deps, ctx, params.contactId, null);
        return { message: "Hold ended" };
      });
      routes.handle("GET /privacy/contacts/:contactId/consents", ({ ctx, params }) =>
        listConsents(deps, ctx, params.contactId),
      );
      routes.handle("POST /privacy/contacts/:contactId/consents", ({ ctx, params, body }) =>
        addConsent(deps, ctx, params.contactId, body),
      );
      routes.handle("POST /privacy/contacts/:contactId/exports", ({ ctx, params, body }) =>
        requestPersonExport(deps, ctx, params.contactId, body.language),
      );
      routes.handle("GET /privacy/exports/:personExportId/file", ({ ctx, params }) =>
        openPersonExport(deps, ctx, params.personExportId),
      );
      routes.handle("GET /privacy/erasures", ({ ctx }) => listErasures(deps, ctx));
      routes.handle("POST /privacy/erasures", ({ ctx, body }) => beginErasure(deps, ctx, body));
      routes.handle("GET /privacy/erasures/:erasureId/certificate", ({ ctx, params, query }) =>
        openCertificate(deps, ctx, params.erasureId, query.language),
      );
      routes.handle("GET /privacy/settings", ({ ctx }) =>
        deps.db.transaction(ctx, (tx) => readPrivacySettings(ctx, tx)),
      );
      routes.handle("PUT /privacy/settings", ({ ctx, body }) =>
        savePrivacySettings(deps, ctx, body),
      );
      routes.handle("POST /privacy/retention", ({ ctx, body }) =>
        previewRetention(deps, ctx, body),
      );
    },
  };
}

async function openCertificate(
  { db }: Pick<PrivacyDeps, "db">,
  ctx: UserCtx,
  id: string,
  language: PageLanguage,
): Promise<SentFile> {
  const { row, company } = await db.transaction(ctx, async (tx) => {
    const [found] = await tx.orm
      .select()
      .from(erasures)
      .where(
        sql`${eq(erasures.companyId, ctx.companyId)} and ${eq(erasures.id, id)} and state = 'done'`,
      );
    const [own] = await tx.orm.select().from(companies).where(eq(companies.id, ctx.companyId));
    return { row: found, company: own };
  });
  if (!row || !company) throw new DomainError("ERR_NO_FILE_FOUND");
  const page = certificatePage(language, row, company);
  return {
    name: `certificado-${id}.html`,
    mime: "text/html; charset=utf-8",
    content: (async function* () {
      yield page;
    })(),
  };
}

/** Sends the company's privacy text once to each contact, with the message that begins its first ticket here. */
function sendPrivacyText({
  domainEvents,
  sendAutomatically,
}: {
  domainEvents: DomainEvents;
  sendAutomatically: SendAutomatically;
}): void {
  domainEvents.on("message.stored", async (ctx, tx, { ticket, arrival, message, isHistory }) => {
    // A phone that is linked brings months of conversations: nobody is written to because of them.
    if (!arrival || isHistory || arrival.rating !== null) return;
    if (arrival.before !== null || message.fromMe || ticket.isGroup) return;
    const [told] = await tx.query<{ text: string }>(tellStatement, [
      ctx.companyId,
      ticket.contactId,
    ]);
    if (told) await sendAutomatically(ctx, tx, ticket, told.text);
  });
}

/** In the language of the number's country, or in the one that the company has written. */
const tellStatement = {
  name: "privacy.tell",
  text: `
with text as (
  select coalesce(
    nullif(case when c.number is null or c.number ~ '^(55|351|244|258)' then p.text_pt
                when c.number ~ '^(34|5[0-46-9])' then p.text_es else p.text_en end, ''),
    nullif(p.text_pt, ''), nullif(p.text_es, ''), nullif(p.text_en, '')) as text
  from privacy_settings p join contacts c on c.company_id = p.company_id and c.id = $2
  where p.company_id = $1 and p.is_text_sent
), told as (
  insert into privacy_notices (company_id, contact_id) select $1, $2 from text where text is not null
  on conflict do nothing returning 1
)
select text from text where exists (select from told)`,
};
