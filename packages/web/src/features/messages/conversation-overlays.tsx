import type { Message } from "@balcao/contract";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { lazyPart } from "../../ui/lazy-part.tsx";

const loadViewer = () => import("./media-viewer.tsx");
const MediaViewer = lazyPart(async () => (await loadViewer()).MediaViewer, "over");
const DeleteMessageDialog = lazyPart(
  async () => (await import("./delete-message-dialog.tsx")).DeleteMessageDialog,
  "over",
);
const SendAgainQuestion = lazyPart(
  async () => (await import("./send-again-question.tsx")).SendAgainQuestion,
  "over",
);

type Props = {
  messages: readonly Message[];
  /** The picture or video that is shown large; null when none. */
  viewed: Message | null;
  onViewed: () => void;
  /** The message that is asked about; null when none. */
  deleting: Message | null;
  onDeleted: () => void;
  /** The unconfirmed message that shall be sent again, which is asked about; null when none. */
  askedAgain: Message | null;
  onAnswered: () => void;
};

/** What lies over a conversation; fetched when it is first wanted. */
export function ConversationOverlays(props: Props): ReactNode {
  const { messages, viewed, onViewed, deleting, onDeleted } = props;
  const { askedAgain, onAnswered } = props;
  const [hasAsked, setHasAsked] = useState(false);
  const [hasAskedAgain, setHasAskedAgain] = useState(false);
  if (deleting !== null && !hasAsked) setHasAsked(true);
  if (askedAgain !== null && !hasAskedAgain) setHasAskedAgain(true);
  return (
    <Suspense fallback={null}>
      {viewed === null ? null : (
        <MediaViewer messages={messages} messageId={viewed.id} onClose={onViewed} />
      )}
      {hasAsked ? <DeleteMessageDialog message={deleting} onClose={onDeleted} /> : null}
      {hasAskedAgain ? <SendAgainQuestion message={askedAgain} onClose={onAnswered} /> : null}
    </Suspense>
  );
}
