import type { Tx } from "../../platform/db/database.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { NewMail, Stop } from "./templates.ts";

declare module "../../platform/events.ts" {
  interface EventPayloads {
    /** Published once for each stop; a limit stops once a day. */
    "helper.stopped": Stop;
  }
}

export type NoticesDeps = {
  domainEvents: DomainEvents;
  mails: { addAll(tx: Tx, added: readonly NewMail[]): Promise<void> };
  /** The installation's address for others; null when nobody said it. */
  publicUrl: string | null;
};

type Admin = { name: string; address: string; company: string };

const pages: Record<Stop["what"], string> = {
  integration: "queue-integration",
  webhook: "messages-api",
  prompt: "prompts",
  aiService: "prompts",
};

/** Tells the admins of a company by e-mail what has stopped, with the row that says so. */
export function mailStops({ domainEvents, mails, publicUrl }: NoticesDeps): void {
  domainEvents.on("helper.stopped", async ({ companyId }, tx, stop) => {
    const admins = await tx.query<Admin>(adminsStatement, [companyId]);
    const url = publicUrl === null ? null : `${publicUrl}/${pages[stop.what]}`;
    // The languages of users are not known; the product's first one is taken.
    const told = admins.map(({ company, ...to }) => ({
      ...({ companyId, to, language: "pt", kind: "helper-stopped" } as const),
      data: { ...stop, company, url },
    }));
    await mails.addAll(tx, told);
  });
}

const adminsStatement = {
  name: "mails.admins",
  text: `
select u.name, u.email as address, c.name as company
from users u join companies c on c.id = u.company_id
where u.company_id = $1 and u.profile = 'admin' and u.deleted_at is null and c.status
order by u.id`,
};
