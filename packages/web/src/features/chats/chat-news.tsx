import { useEffect } from "react";
import { ownMember, useChats } from "./api.ts";
import { unreadChats } from "./unread.ts";

/** Keeps the number of chats with something unread, of the newest ones. Renders nothing; mounted once, in the shell. */
export function ChatNews(): null {
  const { rows } = useChats("");
  const count = rows?.filter((chat) => (ownMember(chat)?.unreads ?? 0) > 0).length ?? 0;
  useEffect(() => {
    unreadChats.set(count);
    return () => unreadChats.set(0);
  }, [count]);
  return null;
}
