import { useState } from "react";
import type { ListedMessage } from "./message-rows.ts";
import { isFromMe } from "./message-rows.ts";

/** How many messages of the customer came since the end was last in view. */
export function useNewSinceEnd(items: readonly ListedMessage[], isAtEnd: boolean): number {
  const [lastSeen, setLastSeen] = useState<ListedMessage | undefined>(undefined);
  const last = items.at(-1);
  if (isAtEnd && lastSeen !== last) setLastSeen(last);
  if (isAtEnd || lastSeen === undefined) return 0;
  const seenAt = timeKey(lastSeen);
  let count = 0;
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items[index];
    if (!item || timeKey(item) <= seenAt) break;
    if (!isFromMe(item)) count += 1;
  }
  return count;
}

function timeKey(item: ListedMessage): string {
  if (item.kind === "unsent") return `${item.unsent.createdAt} ${item.unsent.clientId}`;
  return `${item.message.createdAt} ${item.message.id}`;
}
