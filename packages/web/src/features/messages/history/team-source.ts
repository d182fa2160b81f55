import type { Message } from "@balcao/contract";
import type { UnsentMessage } from "../sending/unsent-messages.ts";
import type { MessagePage } from "./message-history.ts";

/** How the team's own conversations, whose ids are negative, are read and written. The chats set it when they are first shown. */
export type TeamSource = {
  readPage(
    id: number,
    query: { beforeId?: string; afterId?: string; aroundId?: string },
    signal?: AbortSignal,
  ): Promise<MessagePage>;
  search(
    id: number,
    words: string,
    signal: AbortSignal,
  ): Promise<{ matches: readonly { id: string }[]; nextBeforeId: string | null }>;
  post(
    message: UnsentMessage,
    file: File | null,
    options: { signal: AbortSignal | undefined; onProgress: (part: number) => void },
  ): Promise<Message>;
  edit(message: Message, body: string): Promise<Message>;
  markRead(id: number): Promise<void>;
};

let source: TeamSource | null = null;

export function setTeamSource(team: TeamSource): void {
  source = team;
}

/** Null for a ticket. A message that waits from before the page was loaded goes on when the chats are shown. */
export function teamSource(id: number): TeamSource | null {
  if (id > 0) return null;
  if (source === null) throw new TypeError("the chats are not loaded");
  return source;
}
