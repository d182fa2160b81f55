import type { CampaignId, IntegrationId, MessageId } from "@balcao/contract";
import type { ProviderFailure } from "../../channels/port.ts";
import type { ChannelHandlers, Outbox } from "../../channels/runtime/index.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { Sources } from "../../platform/sources.ts";
import type { OpenedNotes } from "../audit/index.ts";
import type { ContactService } from "../contacts/index.ts";
import type { MediaFiles } from "../media/index.ts";
import type { TicketRow, TicketsFeature } from "../tickets/index.ts";
import type { MessageRow } from "./message.ts";
import type { LockedMessage } from "./stored-messages.ts";

declare module "../../platform/events.ts" {
  interface EventPayloads {
    /** A ticket has a new message: one that arrived, one to be sent, or a line of its history. */
    "message.stored": StoredMessage;
    /** The file of a message from the chat network has arrived. */
    "message.fileStored": LockedMessage;
    /** Messages of a person that is erased go, out of conversations that stay (docs/privacy.md). */
    "messages.erasing": { messageIds: readonly MessageId[] };
    /**
     * The network has reported something about a message of a campaign. `failure` is the channel's own reason, if it is the
     * failure that was reported.
     */
    "message.delivery": {
      messageId: MessageId;
      campaignId: CampaignId;
      ack: number;
      failedCode: string | null;
      failure: ProviderFailure | null;
    };
  }
}

export type StoredMessage = {
  message: MessageRow;
  /** The ticket after the message. */
  ticket: TicketRow;
  /** Live events go only to users who have the ticket open. */
  isHistory: boolean;
  /** Set for a message from the chat network. */
  arrival?: {
    /** The ticket before the message; null when it was created for the message. */
    before: TicketRow | null;
    /** The message has started or postponed the automatic attendant's turn for the ticket. */
    callsAttendant: boolean;
    /** Its contact has got something of a campaign within the days of an answer (`ANSWER_DAYS`). */
    followsCampaign: boolean;
    rating: GivenRating | null;
    /** The id on the chat network. */
    providerId: string;
    /**
     * The integration that helps the waiting ticket: its own, else its queue's, or its connection's while it has no queue.
     */
    integrationId: IntegrationId | null;
  };
};

/** Who writes so many days after a message of a campaign may answer it. */
export const ANSWER_DAYS = 7;

/** The feature's dependencies. */
export type MessagesDeps = {
  db: Database;
  sources: Sources;
  realtime: Realtime;
  tickets: Pick<TicketsFeature, "publishWithTicket" | "takeForSending" | "toShownDto">;
  outbox: Outbox;
  media: Pick<MediaFiles, "storeFiles" | "storeCustomerFile" | "removeUnused" | "signedPath">;
  domainEvents: DomainEvents;
  quiet: QuietTimes;
  findGivenRating: FindGivenRating;
};

/** The dependencies of the use cases that receive events. */
export type Deps = MessagesDeps & {
  contacts: ContactService;
  /** Handles an event that arrived before its message, once that is stored. */
  receive: ChannelHandlers["receive"];
  noteOpened: OpenedNotes;
};

/** How long the automatic attendant waits for more messages of a customer, so that a burst has one reply. */
export type QuietTimes = {
  /** After each message, while no menu waits for an answer. */
  firstMs: number;
  /** After each message while a menu waits for its answer. */
  answerMs: number;
  /** Since the first unanswered message, however many follow. */
  longestMs: number;
};

/** A customer's answer to the rating request of an attendance. */
export type GivenRating = { attendanceId: number; rate: number };

/**
 * Finds the rating that a customer's new text gives (behaviour 2.8); null for every other text. With a rating the
 * ticket stays closed and the message does not count as unread.
 */
export type FindGivenRating = (
  ctx: Ctx,
  tx: Tx,
  ticket: TicketRow,
  written: { text: string; at: Date; now: Date },
) => Promise<GivenRating | null>;

/** A function without its first argument, the feature's dependencies. */
export type Bound<F> = F extends (deps: never, ...args: infer Args) => infer Reply
  ? (...args: Args) => Reply
  : never;
