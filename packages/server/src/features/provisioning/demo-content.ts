import { closedConversations } from "./demo-closed.ts";
import { openConversations } from "./demo-open.ts";
import { pendingConversations } from "./demo-pending.ts";
import type { Conversation } from "./demo-script.ts";

/** The last days of Boutique Aurora. */
export const demoConversations: readonly Conversation[] = [
  ...openConversations,
  ...pendingConversations,
  ...closedConversations,
];
