import { lazyPart } from "../../ui/lazy-part.tsx";

export { Composer } from "./composer.tsx";
export { LazyEmojiPicker } from "./composer-tools.tsx";

/** The composer of the team's chats. */
export const TeamComposer = lazyPart(
  async () => (await import("./team-composer.tsx")).TeamComposer,
  "inline",
  "teamwork",
);
