import type { Connection } from "@balcao/contract";
import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import classes from "./connection-dialog.module.css";
import { WebhookFields } from "./webhook-fields.tsx";

type Props = { connection: Connection; onClose: () => void };

/** After a connection with the official API is saved: what Meta has to be told. */
export function WebhookDialog({ connection, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { cloudApi } = connection;
  return (
    <DialogFrame opened size={640} onClose={onClose} title={t("connections.cloud.webhookTitle")}>
      <div className={classes["fields"]}>
        {cloudApi === null ? null : <WebhookFields cloudApi={cloudApi} />}
        <div className={classes["actions"]}>
          <Button onClick={onClose} data-autofocus>
            {t("common.close")}
          </Button>
        </div>
      </div>
    </DialogFrame>
  );
}
