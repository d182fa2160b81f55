export {
  pinTicket,
  undoTicketChange,
  unsnoozeTicket,
  useChoosableQueues,
  useTicket,
} from "./api.ts";
export type { Leave, TicketAction } from "./conversation/ticket-actions.ts";
export { useTicketAction } from "./conversation/ticket-actions.ts";
export type { TicketCommand } from "./conversation/ticket-commands.ts";
export { commandsFor } from "./conversation/ticket-commands.ts";
export { LazyConversationPane } from "./conversation/lazy-conversation.ts";
export type { TicketDialog } from "./conversation/ticket-dialogs.tsx";
export { ScheduleHost, TicketDialogs } from "./conversation/ticket-dialogs.tsx";
export { cardTime } from "./list/card-texts.ts";
export { noFilter } from "./list/list-filter.ts";
export { useIsPinned, useTicketEvents, writeTicketEvent } from "./list/ticket-pages.ts";
export type { Viewer } from "./list/ticket-view.ts";
export { belongsTo, viewerOf } from "./list/ticket-view.ts";
export { useNewest } from "./shortcuts.ts";
export { NewTicketHost, openNewTicket } from "./new-ticket/new-ticket.tsx";
