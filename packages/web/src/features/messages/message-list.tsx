import { Button } from "@mantine/core";
import { IconMessageCircle, IconMessageCircleX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { EmptyState, errorText } from "../../ui/index.ts";
import { useHistory } from "./api.ts";
import classes from "./message-list.module.css";
import { MessageScroller } from "./message-scroller.tsx";
import { MessageSkeleton } from "./message-skeleton.tsx";
import { useUnsent } from "./sending.ts";

type Props = {
  ticketId: number;
  customerName: string;
  /** Messages that the agent has not read yet, live. */
  unread: number;
  /** The signed-in user is the one who serves the ticket: what he sees counts as read. */
  isReader: boolean;
};

/** The conversation of a ticket. Mount it anew for each ticket. */
export function MessageList({ ticketId, customerName, unread, isReader }: Props): ReactNode {
  const { t } = useTranslation();
  const history = useHistory(ticketId);
  const unsent = useUnsent(ticketId);

  if (history.data === undefined) {
    return (
      <div className={classes["pane"]}>
        {history.isPending ? (
          <MessageSkeleton />
        ) : (
          <EmptyState
            icon={IconMessageCircleX}
            title={t("common.loadFailedTitle")}
            text={errorText(t, history.error)}
            action={
              <Button variant="default" onClick={() => void history.refetch()}>
                {t("common.retry")}
              </Button>
            }
          />
        )}
      </div>
    );
  }
  if (history.data.messages.length === 0 && unsent.length === 0) {
    return (
      <div className={classes["pane"]}>
        <EmptyState icon={IconMessageCircle} title={t("messages.empty")} />
      </div>
    );
  }
  return (
    <MessageScroller
      ticketId={ticketId}
      customerName={customerName}
      history={history.data}
      isCurrent={history.isFetchedAfterMount}
      unsent={unsent}
      unread={unread}
      isReader={isReader}
    />
  );
}
