import { lazyPart } from "../../../ui/lazy-part.tsx";

/** The conversation of a ticket, with the texts of the first screens alone. */
export const LazyConversationPane = lazyPart(
  async () => (await import("./conversation-pane.tsx")).ConversationPane,
  "inline",
  "first",
);
