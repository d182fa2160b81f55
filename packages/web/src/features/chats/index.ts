import { lazyPart } from "../../ui/lazy-part.tsx";

export { ChatsButton } from "./button.tsx";
/** Follows the chats on every page. */
export const ChatNews = lazyPart(
  async () => (await import("./chat-news.tsx")).ChatNews,
  "over",
  "first",
);
