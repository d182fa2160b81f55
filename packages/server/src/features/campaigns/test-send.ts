import type { CampaignId, ConnectionId, ContactId, InputOf, UserId } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { findRecord } from "../../platform/db/records.ts";
import { campaigns, connections, contacts } from "../../platform/db/schema/index.ts";
import type { MediaFiles } from "../media/index.ts";
import type { Outgoing } from "../messages/index.ts";
import type { TemplateSource } from "../templates/index.ts";
import type { TicketRow, TicketsFeature } from "../tickets/index.ts";
import { NO_CAMPAIGN } from "./campaign.ts";
import type { Content } from "./content.ts";
import { createContents, filesOf, wantedOf } from "./content.ts";
import { findPerson, samplePerson } from "./estimate.ts";
import { requireTexts } from "./readiness.ts";
import type { ReadingDeps } from "./reading.ts";
import { isOfficial, readSettings } from "./settings.ts";
import { renderTemplate, renderText, writtenTexts } from "./texts.ts";

export type TestDeps = ReadingDeps & {
  media: Pick<MediaFiles, "describeFile" | "removeUnused" | "signedPath">;
  outgoing: Outgoing;
  tickets: Pick<TicketsFeature, "findOrCreateClosedTicket">;
  templates: Pick<TemplateSource, "fill">;
  /** The contact with a number, made if there is none; asks the chat network, so outside of transactions. */
  contactOf(ctx: UserCtx, number: string): Promise<ContactId>;
  /** The connection that sends where the campaign names none; throws ERR_NO_DEF_WAPP_FOUND. */
  pickConnection(ctx: Ctx, tx: Tx, userId: UserId): Promise<ConnectionId>;
};

/**
 * Sends what a person of the list would get to one number, in the conversation with its contact, who is no recipient by that. The
 * confirmation is not asked for. Throws ERR_CONTACT_OPTED_OUT for a contact that wants no campaigns.
 */
export async function sendTest(
  deps: TestDeps,
  ctx: UserCtx,
  id: CampaignId,
  { number, position }: InputOf<"POST /campaigns/:campaignId/test">["body"],
): Promise<void> {
  const prepared = await deps.db.transaction(ctx, async (tx) => {
    const campaign = await findRecord(ctx, tx, campaigns, id, NO_CAMPAIGN);
    await requireTexts(ctx, tx, campaign);
    const { userId } = ctx.actor;
    const connectionId = campaign.connectionId ?? (await deps.pickConnection(ctx, tx, userId));
    const line = await findRecord(ctx, tx, connections, connectionId, "ERR_WAPP_NOT_INITIALIZED");
    if (isOfficial(line) !== (campaign.template !== null)) {
      throw new DomainError("ERR_CAMPAIGN_TEMPLATE");
    }
    const { variables } = await readSettings(ctx, tx);
    const audience = { contactListId: campaign.contactListId, tagListId: null };
    const found = await findPerson(ctx, tx, audience, position, deps.clock.now());
    const files = await filesOf(ctx, tx, { ...campaign, isTemplate: campaign.template !== null });
    return {
      files,
      campaign,
      connectionId,
      variables,
      place: found.position,
      person: found.person ?? samplePerson,
    };
  });
  const { files, campaign, connectionId, variables, place, person } = prepared;
  const contactId = await deps.contactOf(ctx, number);
  const texts = writtenTexts(campaign.messages);
  const text = renderText(texts[place % Math.max(1, texts.length)] ?? "", variables, person);
  const template = campaign.template && renderTemplate(campaign.template, variables, person);
  const contents = createContents(deps);
  try {
    await contents.prepare(ctx, connectionId, { wanted: wantedOf(files), template });
    const parts = template
      ? [contents.template(connectionId, template)]
      : contents.messages(ctx, text, files.list, files.attachment);
    await deps.db.transaction(ctx, (tx) => hand(deps, ctx, tx, { contactId, connectionId, parts }));
  } finally {
    // Those that a message has stay.
    const thumbnails = contents.thumbnails();
    if (thumbnails.length > 0) await deps.media.removeUnused(ctx.companyId, thumbnails);
  }
}

async function hand(
  { tickets, outgoing }: TestDeps,
  ctx: UserCtx,
  tx: Tx,
  test: { contactId: ContactId; connectionId: ConnectionId; parts: readonly Content[] },
): Promise<void> {
  const { contactId, connectionId, parts } = test;
  const { optedOutAt } = await findRecord(ctx, tx, contacts, contactId, "ERR_NO_CONTACT_FOUND");
  if (optedOutAt !== null) throw new DomainError("ERR_CONTACT_OPTED_OUT");
  const found = await tickets.findOrCreateClosedTicket(ctx, tx, contactId, connectionId);
  const { userId, name } = ctx.actor;
  let ticket: TicketRow = found.ticket;
  for (const part of parts) {
    const sent = await outgoing.send(ctx, tx, ticket, {
      ...part,
      ...{ isLiteral: true, writer: { id: userId, name }, priority: "campaign" },
    });
    if (sent) ({ ticket } = sent);
  }
}
