import type { Tx } from "../../platform/db/database.ts";
import { holds } from "../../platform/db/records.ts";
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

type Person = { name: string; address: string; company: string } & {
  managesIntegrations: boolean;
  managesApi: boolean;
  managesPrompts: boolean;
};

const prompts = { page: "prompts", mayMend: (one: Person) => one.managesPrompts };

/** The page on which each helper is mended, and the people who can. */
const places: Record<Stop["what"], { page: string; mayMend: (one: Person) => boolean }> = {
  integration: { page: "queue-integration", mayMend: (one) => one.managesIntegrations },
  webhook: { page: "messages-api", mayMend: (one) => one.managesApi },
  prompt: prompts,
  aiService: prompts,
};

/** Tells those of a company who can mend it by e-mail what has stopped, with the row that says so. */
export function mailStops({ domainEvents, mails, publicUrl }: NoticesDeps): void {
  domainEvents.on("helper.stopped", async ({ companyId }, tx, stop) => {
    const { page, mayMend } = places[stop.what];
    const people = await tx.query<Person>(peopleStatement, [companyId]);
    const url = publicUrl === null ? null : `${publicUrl}/${page}`;
    // The languages of users are not known; the product's first one is taken.
    const told = people.filter(mayMend).map(({ company, name, address }) => ({
      ...({ companyId, to: { name, address }, language: "pt", kind: "helper-stopped" } as const),
      data: { ...stop, company, url },
    }));
    await mails.addAll(tx, told);
  });
}

const peopleStatement = {
  name: "mails.people-who-mend",
  text: `
select name, address, company, "managesIntegrations", "managesApi", "managesPrompts" from (
  select u.id, u.name, u.email as address, c.name as company,
    ${holds("u", "integrations:manage")} as "managesIntegrations", ${holds("u", "api:manage")} as "managesApi",
    ${holds("u", "prompts:manage")} as "managesPrompts"
  from users u join companies c on c.id = u.company_id
  where u.company_id = $1 and u.deleted_at is null and c.status
) people
where "managesIntegrations" or "managesApi" or "managesPrompts"
order by id`,
};
