import { createStore } from "../../store/index.ts";

/** In how many chats something is unread; `chat-news.tsx` keeps it. */
export const unreadChats = createStore(0);
