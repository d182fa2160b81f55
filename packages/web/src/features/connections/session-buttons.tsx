import type { Connection } from "@balcao/contract";
import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import type { SessionAction } from "./connection-rules.ts";
import { sessionActions } from "./connection-rules.ts";
import classes from "./connections-page.module.css";

type Props = {
  connection: Pick<Connection, "name" | "status" | "channel">;
  /** The action under way, if any. */
  busyWith: SessionAction | null;
  onAction: (action: SessionAction) => void;
};

/** What can be done with the session in its status (spec 4). */
export function SessionButtons({ connection, busyWith, onAction }: Props): ReactNode {
  const { t } = useTranslation();
  const { name, status, channel } = connection;
  return (
    <span className={classes["buttons"]}>
      {sessionActions(status, channel).map((action) => {
        const label = t(`connections.actions.${action}`);
        return (
          <Button
            key={action}
            size="xs"
            variant={action === "qr" ? "filled" : "default"}
            disabled={action === "connecting"}
            loading={busyWith === action}
            aria-label={t("connections.actions.of", { action: label, name })}
            onClick={() => onAction(action)}
          >
            {label}
          </Button>
        );
      })}
    </span>
  );
}
