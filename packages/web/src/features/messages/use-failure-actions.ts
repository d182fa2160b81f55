import { useCallback } from "react";
import { notifyError } from "../../ui/index.ts";
import { useFailedMessage } from "./api.ts";
import type { ListedMessage } from "./message-rows.ts";
import { discardUnsent, sendAgain } from "./sending.ts";

type Act = (item: ListedMessage) => void;

/** What can be done about a message that did not go out, whether the server has it or not. */
export function useFailureActions(): { onRetry: Act; onDiscard: Act } {
  const failed = useFailedMessage();
  const { mutate: settleFailed } = failed;
  const onRetry = useCallback(
    (item: ListedMessage): void => {
      if (item.kind === "unsent") sendAgain(item.unsent);
      else settleFailed({ message: item.message, wish: "retry" }, { onError: notifyError });
    },
    [settleFailed],
  );
  const onDiscard = useCallback(
    (item: ListedMessage): void => {
      if (item.kind === "unsent") discardUnsent(item.unsent);
      else settleFailed({ message: item.message, wish: "discard" }, { onError: notifyError });
    },
    [settleFailed],
  );
  return { onRetry, onDiscard };
}
