import type { CampaignStatus, RecipientStatus, WhaticketRowKind } from "@balcao/contract";
import { campaignStatuses, limits } from "@balcao/contract";
import { addressKey } from "../../features/contacts/index.ts";
import type { Item, Move } from "./bring.ts";
import { add, bring, pairOf } from "./bring.ts";
import { dates, refer } from "./setup.ts";
import type { SourceRow } from "./values.ts";
import { boolOf, centsOf, dateOf, idOf, textOf } from "./values.ts";

/** What belongs to tickets and people beside their messages. */
export async function bringRest(move: Move): Promise<void> {
  await bringNotes(move);
  await bringQuickMessages(move);
  await bringSchedules(move);
  await bringLists(move);
  await bringCampaigns(move);
  await bringInvoices(move);
  await bringChats(move);
}

/** Rows of a table that have what they cannot be without; the others are left out and told. */
async function kept(
  move: Move,
  kind: WhaticketRowKind,
  table: Parameters<Move["source"]["all"]>[0],
  make: (row: SourceRow) => Item["values"] | null,
): Promise<void> {
  const rows = await move.source.all(table, move.from);
  await bring(
    move,
    kind,
    table === "shipping" ? "campaign_recipients" : (tables[table] ?? table),
    rows.flatMap((row): Item[] => {
      const values = make(row);
      if (values !== null) return [{ id: row["id"] ?? "", values }];
      move.tally.problem(kind, "relatedMissing", row["id"]);
      move.tally.count(kind, { read: 1, left: 1 });
      return [];
    }),
  );
}

const tables: Partial<Record<Parameters<Move["source"]["all"]>[0], string>> = {
  ...{ notes: "ticket_notes", quickMessages: "quick_messages", contactLists: "contact_lists" },
  ...{ contactListItems: "contact_list_items", chatMessages: "chat_messages" },
};

function bringNotes(move: Move): Promise<void> {
  return kept(move, "note", "notes", (row) => {
    const ticketId = move.ids("ticket").get(row["ticketId"] ?? "");
    const contactId = move.ids("contact").get(row["contactId"] ?? "");
    const note = textOf(row["note"], limits.noteMax);
    if (ticketId === undefined || contactId === undefined || note === "") return null;
    return {
      ticket_id: ticketId,
      contact_id: contactId,
      user_id: refer(move, "note", "user", row, "userId"),
      note,
      ...dates(row),
    };
  });
}

function bringQuickMessages(move: Move): Promise<void> {
  return kept(move, "quick message", "quickMessages", (row) => {
    if (idOf(row["mediaPath"]) !== null)
      move.tally.problem("quick message", "fileToAttach", row["id"]);
    const userId = refer(move, "quick message", "user", row, "userId");
    return {
      shortcode: textOf(row["shortcode"], limits.shortcodeMax).trim() || `/${row["id"]}`,
      message: textOf(row["message"], limits.messageBodyMax),
      // One that is nobody's is the company's.
      ...{
        user_id: userId,
        geral: userId === null || boolOf(row["geral"]),
        status: boolOf(row["status"], true),
      },
      ...dates(row),
    };
  });
}

/** What was sent is history. Nothing else is sent by itself: it is shown as not sent, to be planned again. */
function bringSchedules(move: Move): Promise<void> {
  return kept(move, "schedule", "schedules", (row) => {
    const contactId = move.ids("contact").get(row["contactId"] ?? "");
    const sendAt = dateOf(row["sendAt"]) ?? dateOf(row["createdAt"]);
    if (contactId === undefined || sendAt === null) return null;
    const sentAt = dateOf(row["sentAt"]) ?? (row["status"] === "ENVIADA" ? sendAt : null);
    if (sentAt === null) move.tally.problem("schedule", "scheduleNotSent", row["id"]);
    if (idOf(row["mediaPath"]) !== null) move.tally.problem("schedule", "fileNotCopied", row["id"]);
    return {
      ...{ contact_id: contactId, ticket_id: refer(move, "schedule", "ticket", row, "ticketId") },
      ...{
        user_id: refer(move, "schedule", "user", row, "userId"),
        body: textOf(row["body"], limits.messageBodyMax),
      },
      ...{
        send_at: sendAt,
        sent_at: sentAt,
        due_at: sendAt,
        status: sentAt === null ? "ERRO" : "ENVIADA",
      },
      error_code: sentAt === null ? "ERR_SCHEDULE_IMPORTED" : null,
      ...dates(row),
    };
  });
}

async function bringLists(move: Move): Promise<void> {
  await kept(move, "contact list", "contactLists", (row) => ({
    name: textOf(row["name"], 200).trim() || `Lista ${row["id"]}`,
    ...dates(row),
  }));
  const seen = new Map<string, string>();
  const same = new Map<string, string[]>();
  const rows = await move.source.all("contactListItems", move.from);
  const keyOf = (row: SourceRow) => `${row["contactListId"]} ${numberOf(row)}`;
  for (const row of rows) {
    const first = seen.get(keyOf(row));
    if (first === undefined) seen.set(keyOf(row), row["id"] ?? "");
    else same.set(first, [...(same.get(first) ?? []), row["id"] ?? ""]);
  }
  await bring(
    move,
    "contact list item",
    "contact_list_items",
    rows.flatMap((row): Item[] => {
      const id = row["id"] ?? "";
      if (seen.get(keyOf(row)) !== id) return [];
      const list = move.ids("contact list").get(row["contactListId"] ?? "");
      const number = numberOf(row);
      if (list === undefined || number.length < limits.numberMin) {
        move.tally.problem("contact list item", "listItemUnusable", id);
        move.tally.count("contact list item", { read: 1, left: 1 });
        return [];
      }
      const [name, email] = [
        textOf(row["name"], 200).trim() || number,
        textOf(row["email"], limits.emailMax),
      ];
      const isValid = boolOf(row["isWhatsappValid"]) ? true : null;
      return [
        {
          id,
          more: same.get(id) ?? [],
          values: { contact_list_id: list, name, number, email, is_valid: isValid, ...dates(row) },
        },
      ];
    }),
  );
}

function numberOf(row: SourceRow): string {
  const digits = textOf(row["number"], limits.numberMax).split("@", 1)[0]?.replace(/\D/g, "") ?? "";
  return addressKey({ kind: "pn", value: digits });
}

/** Running and planned campaigns come in cancelled. */
async function bringCampaigns(move: Move): Promise<void> {
  await kept(move, "campaign", "campaigns", (row) => {
    const named = campaignStatuses.find((status) => status === row["status"]) ?? "CANCELADA";
    const isActive = named === "PROGRAMADA" || named === "EM_ANDAMENTO";
    if (named === "PROGRAMADA")
      move.tally.problem("campaign", "plannedCampaignCancelled", row["id"]);
    if (named === "EM_ANDAMENTO")
      move.tally.problem("campaign", "runningCampaignCancelled", row["id"]);
    if (idOf(row["mediaPath"]) !== null || idOf(row["fileListId"]) !== null) {
      move.tally.problem("campaign", "fileNotCopied", row["id"]);
    }
    const status: CampaignStatus = isActive ? "CANCELADA" : named;
    const { created_at, updated_at } = dates(row);
    const texts = (column: string) =>
      JSON.stringify(
        [1, 2, 3, 4, 5].map((n) => textOf(row[`${column}${n}`], limits.campaignTextMax)),
      );
    return {
      name: textOf(row["name"], 200).trim() || `Campanha ${row["id"]}`,
      ...{ messages: texts("message"), confirmations: texts("confirmationMessage") },
      ...{
        confirmation: boolOf(row["confirmation"]),
        status,
        scheduled_at: dateOf(row["scheduledAt"]),
      },
      started_at: status === "INATIVA" ? null : (dateOf(row["scheduledAt"]) ?? created_at),
      completed_at: status === "FINALIZADA" ? (dateOf(row["completedAt"]) ?? updated_at) : null,
      cancelled_at:
        status === "CANCELADA" ? (isActive ? move.sources.clock.now() : updated_at) : null,
      connection_id: refer(move, "campaign", "connection", row, "whatsappId"),
      contact_list_id: refer(move, "campaign", "contact list", row, "contactListId"),
      ...{ created_at, updated_at },
    };
  });
  const places = new Map<number, number>();
  const people = new Set<string>();
  await kept(move, "campaign recipient", "shipping", (row) => {
    const campaign = move.ids("campaign").get(row["campaignId"] ?? "");
    const number = numberOf(row);
    if (campaign === undefined || number === "" || people.has(`${campaign} ${number}`)) return null;
    people.add(`${campaign} ${number}`);
    const position = places.get(campaign) ?? 0;
    places.set(campaign, position + 1);
    const deliveredAt = dateOf(row["deliveredAt"]);
    const status: RecipientStatus = deliveredAt === null ? "removed" : "delivered";
    return {
      ...{
        campaign_id: campaign,
        position,
        name: number,
        number,
        message: textOf(row["message"], limits.campaignTextMax),
      },
      confirmation_message: textOf(row["confirmationMessage"], limits.campaignTextMax) || null,
      ...{
        status,
        is_known: true,
        attempts: deliveredAt === null ? 0 : 1,
        requested_at: dateOf(row["confirmationRequestedAt"]),
      },
      ...{
        confirmed_at: dateOf(row["confirmedAt"]),
        sent_at: deliveredAt,
        delivered_at: deliveredAt,
      },
      changed_at: dates(row).updated_at,
    };
  });
}

/** Only the newest unpaid invoice stays open, and nobody is reminded of it. */
async function bringInvoices(move: Move): Promise<void> {
  const rows = await move.source.all("invoices", move.from);
  const dueOf = (row: SourceRow) => dateOf(row["dueDate"]) ?? dates(row).created_at;
  const isPaid = (row: SourceRow) => /^(paid|pago|paga|concluida)$/i.test(row["status"] ?? "");
  const isCancelled = (row: SourceRow) => /^cancel/i.test(row["status"] ?? "");
  const unpaid = rows.filter((row) => !isPaid(row) && !isCancelled(row));
  const newest = unpaid.sort((a, b) => dueOf(b).getTime() - dueOf(a).getTime())[0];
  const dues = new Set<number>();
  await kept(move, "invoice", "invoices", (row) => {
    const due = dueOf(row);
    let status = isPaid(row) ? "paid" : row["id"] === newest?.["id"] ? "open" : "cancelled";
    if (status === "cancelled" && !isCancelled(row))
      move.tally.problem("invoice", "olderInvoiceCancelled", row["id"]);
    if (status !== "cancelled" && dues.has(due.getTime())) {
      move.tally.problem("invoice", "dueDateRepeated", row["id"]);
      status = "cancelled";
    }
    if (status !== "cancelled") dues.add(due.getTime());
    const { created_at, updated_at } = dates(row);
    return {
      ...{
        detail: textOf(row["detail"], 200),
        value_cents: centsOf(row["value"]),
        months: 1,
        due_date: due,
        status,
      },
      paid_at: status === "paid" ? updated_at : null,
      ...{ reminded_at: move.sources.clock.now(), created_at, updated_at },
    };
  });
}

/** The team's internal chats; those without owner or messages' sender are left out. */
async function bringChats(move: Move): Promise<void> {
  const users = move.ids("user");
  await kept(move, "chat", "chats", (row) => {
    const owner = users.get(row["ownerId"] ?? "");
    if (owner === undefined) return null;
    const { created_at, updated_at } = dates(row);
    const title = textOf(row["title"], limits.chatTitleMax).trim() || `Chat ${row["id"]}`;
    return {
      ...{
        uuid: move.sources.ids.uuid(),
        title,
        owner_id: owner,
        last_message: textOf(row["lastMessage"], 200),
      },
      ...{ last_message_at: updated_at, created_at, updated_at },
    };
  });
  const members = new Map<string, { chat_id: number; user_id: number; created_at: Date }>();
  for (const row of await move.source.all("chatUsers", move.from)) {
    for (const [chat, user] of pairOf(move.ids("chat"), row["chatId"], users, row["userId"])) {
      members.set(`${chat} ${user}`, {
        chat_id: chat,
        user_id: user,
        created_at: dates(row).created_at,
      });
    }
  }
  await add(move, "chat member", "chat_members", [...members.values()]);
  await kept(move, "chat message", "chatMessages", (row) => {
    const chat = move.ids("chat").get(row["chatId"] ?? "");
    const sender = users.get(row["senderId"] ?? "");
    if (chat === undefined || sender === undefined) return null;
    const text = textOf(row["message"], limits.messageBodyMax) || textOf(row["mediaName"], 200);
    if (idOf(row["mediaPath"]) !== null)
      move.tally.problem("chat message", "fileNotCopied", row["id"]);
    return { chat_id: chat, sender_id: sender, message: text, ...dates(row) };
  });
}
