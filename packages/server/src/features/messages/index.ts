import type { ChannelHandlers } from "../../channels/runtime/index.ts";
import type { Routes } from "../../platform/http/routes.ts";
import { createOpenedNotes } from "../audit/index.ts";
import { createContactService } from "../contacts/index.ts";
import type { WithdrawMessage } from "../tickets/index.ts";
import { joinTickets } from "../tickets/index.ts";
import {
  deleteForEveryone,
  editMessage,
  keepTranscript,
  reactToMessage,
  recordChange,
  showMessage,
} from "./change.ts";
import {
  discardMessage,
  eraseMessages,
  recordSent,
  retryMessage,
  undoMessage,
  withdrawMessage,
} from "./delivery.ts";
import type { Bound, Deps, MessagesDeps } from "./deps.ts";
import { tellStored, toMessageDto } from "./events.ts";
import { listFilesOfContact } from "./files-of-contact.ts";
import { forwardMessages } from "./forward.ts";
import type { Outgoing, SendAutomatically } from "./outgoing.ts";
import { sendAutomatically, sendMessage, sendTransferText } from "./outgoing.ts";
import { markRead, readTicket, showPage } from "./page.ts";
import { tellPresence } from "./presence.ts";
import { showMovedMessages, showNumberChange } from "./receive/conversation.ts";
import { markMediaUnavailable, storeArrivedMedia } from "./receive/other-events.ts";
import { receiveEvent } from "./receive/receive.ts";
import { searchConversation } from "./search.ts";
import { sendAsAgent, sendFiles, sendText, sendWithin } from "./send.ts";
import { showShared } from "./shared-messages.ts";

export { ANSWER_DAYS } from "./deps.ts";
export type { FindGivenRating, GivenRating, QuietTimes } from "./deps.ts";
export type { CardFacts } from "./message.ts";
export { AUTOMATIC_MARK, cardOf, mediaBody, mediaTypeOf } from "./message.ts";
export type { Destination, Outgoing, OutgoingMessage, SendAutomatically } from "./outgoing.ts";
export { contactAddress, findDestination } from "./outgoing.ts";
export { createTyping } from "./presence.ts";
export { waitingSinceOf } from "./stored-messages.ts";

export type MessagesFeature = Pick<
  ChannelHandlers,
  "receive" | "sent" | "storeMedia" | "mediaUnavailable"
> & {
  register(routes: Routes): void;
  /** For the channel runtime: a customer types or is there. */
  tellPresence: Bound<typeof tellPresence>;
  /** Every message of the company leaves this way. */
  outgoing: Outgoing;
  sendAutomatically: SendAutomatically;
  withdrawMessage: WithdrawMessage;
  keepTranscript: Bound<typeof keepTranscript>;
  /** The message, if the user may act on its ticket and read it. */
  showMessage: Bound<typeof showMessage>;
  /** A row as the wire has it. */
  toMessage: Bound<typeof toMessageDto>;
  showPage: Bound<typeof showPage>;
  markRead: Bound<typeof markRead>;
  /** Another feature's prepared message leaves in the agent's name. Throws as `outgoing` does. */
  sendAsAgent: Bound<typeof sendAsAgent>;
  /** The same inside of a transaction that has locked the ticket. */
  sendWithin: Bound<typeof sendWithin>;
};

export function createMessagesFeature(given: MessagesDeps): MessagesFeature {
  const { sources, realtime, media, domainEvents } = given;
  const { clock } = sources;
  const contacts = createContactService({
    ...{ clock, realtime, domainEvents },
    sign: media.signedPath,
    joinTickets: (ctx, tx, joined) => joinTickets(ctx, tx, domainEvents, joined, clock.now()),
  });
  const receive: ChannelHandlers["receive"] = (tx, connection, event) =>
    receiveEvent(deps, tx, connection, event);
  const noteOpened = createOpenedNotes(clock);
  const deps: Deps = { ...given, contacts, receive, noteOpened };
  domainEvents.afterCommit("message.stored", (_ctx, stored) => tellStored(deps, stored));
  domainEvents.on("ticket.transferred", (...args) => sendTransferText(deps, ...args));
  domainEvents.on("contact.numberChanged", (...args) => showNumberChange(deps, ...args));
  domainEvents.on("contact.merged", (...args) => showMovedMessages(deps, ...args));
  domainEvents.on("messages.erasing", (ctx, tx, { messageIds }) =>
    eraseMessages(deps, ctx, tx, messageIds),
  );

  return {
    register: (routes) => registerRoutes(deps, routes),
    receive,
    sent: (tx, connection, outcome) =>
      outcome.command === "message"
        ? recordSent(deps, tx, connection, outcome)
        : recordChange(deps, tx, connection, outcome, outcome.command),
    storeMedia: (...args) => storeArrivedMedia(deps, ...args),
    mediaUnavailable: (...args) => markMediaUnavailable(deps, ...args),
    tellPresence: (...args) => tellPresence(deps, ...args),
    outgoing: { send: (...args) => sendMessage(deps, ...args) },
    sendAutomatically: (...args) => sendAutomatically(deps, ...args),
    withdrawMessage: (...args) => withdrawMessage(deps, ...args),
    keepTranscript: (...args) => keepTranscript(deps, ...args),
    showMessage: (...args) => showMessage(deps, ...args),
    toMessage: (...args) => toMessageDto(deps, ...args),
    showPage: (...args) => showPage(deps, ...args),
    markRead: (...args) => markRead(deps, ...args),
    sendAsAgent: (...args) => sendAsAgent(deps, ...args),
    sendWithin: (...args) => sendWithin(deps, ...args),
  };
}

function registerRoutes(deps: Deps, routes: Routes): void {
  routes.handle("GET /contacts/:contactId/files", ({ ctx, params, query }) =>
    listFilesOfContact(deps, ctx, params.contactId, query),
  );
  routes.handle("GET /messages/:ticketId", ({ ctx, params, query }) =>
    showPage(deps, ctx, params.ticketId, {
      ...query,
      markRead: query.markRead !== "false",
      hasReactionRows: query.markRead === undefined,
    }),
  );
  routes.handle("GET /messages/:ticketId/search", ({ ctx, params, query }) =>
    searchConversation(deps, ctx, params.ticketId, query),
  );
  routes.handle("GET /messages/:ticketId/shared", ({ ctx, params, query }) =>
    showShared(deps, ctx, params.ticketId, query.beforeId),
  );
  routes.handle("POST /messages/:ticketId", ({ ctx, params, body, upload }) =>
    upload === null
      ? sendText(deps, ctx, params.ticketId, body)
      : sendFiles(deps, ctx, params.ticketId, upload),
  );
  routes.handle("POST /message/forward", ({ ctx, body }) => forwardMessages(deps, ctx, body));
  routes.handle("POST /messages/:ticketId/read", ({ ctx, params }) =>
    readTicket(deps, ctx, params.ticketId),
  );
  routes.handle("POST /messages/retry/:messageId", ({ ctx, params, body }) =>
    retryMessage(deps, ctx, params.messageId, body),
  );
  routes.handle("DELETE /messages/failed/:messageId", async ({ ctx, params }) => {
    await discardMessage(deps, ctx, params.messageId);
    return { message: "Message discarded" };
  });
  routes.handle("DELETE /messages/undo/:messageId", async ({ ctx, params }) => {
    await undoMessage(deps, ctx, params.messageId);
    return { message: "Message taken back" };
  });
  routes.handle("POST /messages/edit/:messageId", ({ ctx, params, body }) =>
    editMessage(deps, ctx, params.messageId, body.body),
  );
  routes.handle("PUT /messages/:messageId", ({ ctx, params }) =>
    showMessage(deps, ctx, params.messageId),
  );
  routes.handle("DELETE /messages/:messageId", ({ ctx, params }) =>
    deleteForEveryone(deps, ctx, params.messageId),
  );
  routes.handle("POST /messages/:messageId/reactions", ({ ctx, params, body }) =>
    reactToMessage(deps, ctx, params.messageId, body.type),
  );
}
