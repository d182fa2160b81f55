import type { IntegrationId } from "@balcao/contract";
import { getUnixTime } from "date-fns/getUnixTime";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { DomainEvents, EventPayloads } from "../../platform/events.ts";
import type { Deliveries } from "./deliveries.ts";

/**
 * Tells n8n and webhook integrations each message of a customer whose ticket waits, in the transaction that stores it
 * (behaviour 7.6). The attendant goes on beside them.
 */
export function tellArrivals(domainEvents: DomainEvents, engine: Deliveries): void {
  domainEvents.on("message.stored", async (ctx, tx, stored) => {
    const { arrival } = stored;
    if (!arrival?.callsAttendant || arrival.integrationId === null) return;
    const { integrationId } = arrival;
    if (!(await isTold(ctx, tx, integrationId, stored.ticket.contactId))) return;
    const event = { kind: "message.received", ticketId: stored.ticket.id };
    await engine.enqueue(ctx, tx, { integrationId }, { ...event, body: bodyOf(stored, arrival) });
  });
}

/** Bots are not told about contacts that no automatic answer may reach, nor without the plan. */
async function isTold(
  { companyId }: Ctx,
  tx: Tx,
  integrationId: IntegrationId,
  contactId: number,
): Promise<boolean> {
  const rows = await tx.query(isToldStatement, [companyId, integrationId, contactId]);
  return rows.length > 0;
}

type Stored = EventPayloads["message.stored"];

/** The event as the session library of the product family's servers raises it, and our fields beside it. */
export function bodyOf(
  { message, ticket }: Pick<Stored, "message" | "ticket">,
  { providerId }: Pick<NonNullable<Stored["arrival"]>, "providerId">,
): object {
  const number = ticket.contactNumber ?? "";
  return {
    key: {
      remoteJid: number === "" ? "" : `${number}@s.whatsapp.net`,
      ...{ fromMe: false, id: providerId },
    },
    messageTimestamp: getUnixTime(message.sentAt),
    pushName: ticket.contactName,
    message: contentOf(message),
    ticket: { id: ticket.id, uuid: ticket.uuid, status: ticket.status, queueId: ticket.queueId },
    connection: { id: ticket.connectionId, name: ticket.connectionName ?? "" },
    contact: { id: ticket.contactId, name: ticket.contactName, number },
    text: message.body,
  };
}

function contentOf({ mediaType, body, media, details }: Stored["message"]): object {
  if (media) {
    const file = { mimetype: media.mime, fileLength: media.bytes };
    switch (media.kind) {
      case "image":
      case "video":
        return { [`${media.kind}Message`]: { ...file, caption: body } };
      case "audio":
      case "voice":
        return { audioMessage: { ...file, ptt: media.kind === "voice" } };
      case "sticker":
        return { stickerMessage: file };
      case "document":
        return { documentMessage: { ...file, fileName: media.name, caption: body } };
    }
  }
  if (details?.kind === "location") {
    const { latitude, longitude, name, address } = details;
    const place = { degreesLatitude: latitude, degreesLongitude: longitude, name, address };
    return { [details.isLive ? "liveLocationMessage" : "locationMessage"]: place };
  }
  if (details?.kind === "choice") {
    return mediaType === "listResponseMessage"
      ? { listResponseMessage: { title: body, singleSelectReply: { selectedRowId: details.id } } }
      : { buttonsResponseMessage: { selectedButtonId: details.id, selectedDisplayText: body } };
  }
  if (mediaType === null || mediaType === "conversation") return { conversation: body };
  if (mediaType === "contactMessage") return { contactMessage: { vcard: body } };
  return { [mediaType]: { text: body } };
}

const isToldStatement = {
  name: "integrations.is-told",
  text: `
select 1 from integrations i
join contacts c on c.company_id = i.company_id and c.id = $3 and not c.disable_bot
join companies n on n.id = i.company_id
join plans p on p.id = n.plan_id and p.use_integrations
where i.company_id = $1 and i.id = $2 and i.type in ('n8n', 'webhook')`,
};
