import { lazyPart } from "../../ui/lazy-part.tsx";

/** In the composer: a button with what the company's AI service offers, and its proposal. Nothing where it offers nothing. */
export const AiHelp = lazyPart(
  async () => (await import("./offered-help.tsx")).OfferedHelp,
  "inline",
  "first",
);

/** Below a message: what it says in the user's language. */
export const MessageTranslation = lazyPart(
  async () => (await import("./message-translation.tsx")).MessageTranslation,
  "inline",
  "rare",
);

/** Beside a note: writes a summary of the conversation. Nothing where no help is offered. */
export const SummaryButton = lazyPart(
  async () => (await import("./summary-button.tsx")).SummaryButton,
  "inline",
  "rare",
);
