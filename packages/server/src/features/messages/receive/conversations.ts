import type { ConnectionId } from "@balcao/contract";
import type { Ctx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";
import type { ContactRow, ContactService, Person, TicketsOfPeople } from "../../contacts/index.ts";
import { isWhollyKnown } from "../../contacts/index.ts";
import type { OpenConversation } from "./arrivals.ts";
import { lockConversation } from "./receive-statements.ts";

/** The first turn looks, the second makes what is missing; each loss of a race takes one more. */
const TURNS = 6;

/** How a conversation begins, where there is none. */
export type Beginning = {
  /** Makes the contact's ticket; null when another transaction has just done it. */
  start(contact: ContactRow): Promise<OpenConversation | null>;
  /** Whether there is nothing to begin: asked before a stranger gets a contact, and after a race was lost. */
  isOver(isStranger: boolean): Promise<boolean>;
};

export type ConversationsDeps = {
  contacts: ContactService;
  ticketsOf: (ctx: Ctx, tx: Tx) => TicketsOfPeople;
};

/**
 * Finds with whom a chat is, with his ticket on the connection locked. Addresses that appear together are one person:
 * what is new about him is taken over on the way. Addresses are locked before tickets (docs/people.md).
 */
export function createConversations({ contacts, ticketsOf }: ConversationsDeps) {
  /** Without a beginning only a conversation that is there; null where there is none. */
  async function open(
    ctx: Ctx,
    tx: Tx,
    connectionId: ConnectionId,
    person: Person,
    beginning: Beginning | null,
  ): Promise<OpenConversation | null> {
    let isLocked = false;
    for (let turn = 1; turn <= TURNS; turn += 1) {
      const { addresses } = person;
      const found = await lockConversation(ctx, tx, connectionId, addresses, isLocked);
      const [only, ...others] = found;
      const isOne = only !== undefined && others.length === 0;
      const isSure = isOne && (isLocked || isWhollyKnown(only.contact, person));

      if (isSure && only.ticket) {
        const { contact, isChanged } = await contacts.recognise(ctx, tx, only.contact, person);
        if (!isChanged) return { contact, ticket: only.ticket, isNew: false, attendanceId: null };
        // The ticket's row carries the contact's name.
      } else if (!beginning && (!only || isSure)) {
        return null;
      } else if (!isLocked) {
        await contacts.lock(ctx, tx, person);
        isLocked = true;
      } else if (only && !isOne) {
        await contacts.merge(ctx, tx, person, ticketsOf(ctx, tx));
      } else if (beginning) {
        if (!only && (await beginning.isOver(true))) return null;
        const contact = only
          ? (await contacts.recognise(ctx, tx, only.contact, person)).contact
          : await contacts.create(ctx, tx, person);
        const started = contact && (await beginning.start(contact));
        if (started) return started;
        if (await beginning.isOver(false)) return null;
      }
    }
    throw new Error("the conversation keeps changing under our hands");
  }

  return { open };
}

export type Conversations = ReturnType<typeof createConversations>;
