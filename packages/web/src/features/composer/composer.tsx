import type { Ticket } from "@balcao/contract";
import type { ReactNode } from "react";
import { memo, useCallback, useEffect, useRef } from "react";
import { ComposerBox } from "./composer-box.tsx";

type Props = {
  ticket: Pick<Ticket, "id" | "contact">;
  user: { id: number; name: string };
  /** Why nothing can be sent now; null when it can. */
  disabledReason: string | null;
  /** Puts the caret here when the ticket opens. */
  mustFocus: boolean;
  /** Opens what sends the text later; absent where messages cannot be scheduled. */
  onSendLater?: ((text: string) => void) | undefined;
  /**
   * Opens the messages that the network has approved; absent where there are none, or nothing may be sent at all. Stays
   * the same function, so that the box is not rendered for it.
   */
  onTemplate?: (() => void) | undefined;
};

/**
 * Where the agent writes. Mount it anew for each ticket: it starts with the ticket's draft. Nothing that arrives live
 * renders the box, so the caret stays where it is.
 */
export function Composer({
  ticket,
  user,
  disabledReason,
  mustFocus,
  onSendLater,
  onTemplate,
}: Props): ReactNode {
  const newest = useRef(onSendLater);
  useEffect(() => {
    newest.current = onSendLater;
  });
  const sendLater = useCallback((text: string) => newest.current?.(text), []);
  return (
    <StillBox
      ticketId={ticket.id}
      customerName={ticket.contact.name}
      userId={user.id}
      userName={user.name}
      disabledReason={disabledReason}
      mustFocus={mustFocus}
      onSendLater={onSendLater ? sendLater : null}
      onTemplate={onTemplate ?? null}
    />
  );
}

const StillBox = memo(ComposerBox);
