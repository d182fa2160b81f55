import type { Message } from "@balcao/contract";
import { useCallback, useMemo } from "react";
import { notifyError } from "../../ui/index.ts";
import { reactTo, undoMessage } from "./api.ts";
import { aimComposer } from "./composer-target.ts";
import type { Conversation } from "./conversation-context.ts";
import { tellUndone } from "./undone.ts";
import { useFailureActions } from "./use-failure-actions.ts";

type Given = Pick<
  Conversation,
  | "ticketId"
  | "customerName"
  | "isGroup"
  | "canWrite"
  | "onView"
  | "onMenu"
  | "onTalkTo"
  | "EmojiPicker"
> & { onAskAgain: (message: Message) => void };

/** What the messages of a conversation have in common, with what can be done to each. */
export function useConversationOf(given: Given): Conversation {
  const { ticketId, customerName, isGroup, canWrite, onView, onMenu, onTalkTo, EmojiPicker } =
    given;
  const { onRetry, onDiscard } = useFailureActions(given.onAskAgain);
  const onReply = useCallback(
    (message: Message): void => aimComposer(ticketId, { kind: "reply", message }),
    [ticketId],
  );
  return useMemo(
    () => ({
      ticketId,
      customerName,
      isGroup,
      canWrite,
      onRetry,
      onDiscard,
      onView,
      onMenu,
      onReply,
      onReact,
      onUndo,
      onTalkTo,
      EmojiPicker,
    }),
    [
      ticketId,
      customerName,
      isGroup,
      canWrite,
      onRetry,
      onDiscard,
      onView,
      onMenu,
      onReply,
      onTalkTo,
      EmojiPicker,
    ],
  );
}

function onReact(message: Message, emoji: string): void {
  reactTo(message, emoji).catch(notifyError);
}

function onUndo(message: Message): void {
  undoMessage(message)
    .then(() => tellUndone(message))
    .catch(notifyError);
}
