import type { Message } from "@balcao/contract";
import { useCallback } from "react";
import { notifyError } from "../../ui/index.ts";
import { discardMessage, retryMessage } from "./api.ts";
import type { ListedMessage } from "./message-rows.ts";
import { discardUnsent, sendAgain } from "./sending.ts";

type Act = (item: ListedMessage) => void;

/**
 * What can be done about a message that did not go out, whether the server has it or not. `onAsk`: it may have gone out,
 * which is asked about first.
 */
export function useFailureActions(onAsk: (message: Message) => void): {
  onRetry: Act;
  onDiscard: Act;
} {
  const onRetry = useCallback(
    (item: ListedMessage): void => {
      if (item.kind === "unsent") sendAgain(item.unsent);
      else if (item.message.isUnconfirmed) onAsk(item.message);
      else retryMessage(item.message).catch(notifyError);
    },
    [onAsk],
  );
  return { onRetry, onDiscard };
}

function onDiscard(item: ListedMessage): void {
  if (item.kind === "unsent") discardUnsent(item.unsent);
  else discardMessage(item.message).catch(notifyError);
}
