import type { Connection } from "@balcao/contract";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./connection-dialog.module.css";
import { CopyField } from "./copy-field.tsx";

/** The address that Meta calls and the word by which it knows us, to copy. */
export function WebhookFields({
  cloudApi,
}: {
  cloudApi: NonNullable<Connection["cloudApi"]>;
}): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      <p className={classes["help"]}>{t("connections.cloud.webhookText")}</p>
      <CopyField
        label={t("connections.cloud.webhookUrl")}
        copyLabel={t("connections.cloud.copyUrl")}
        // An installation that was not told its own address gives a path; the one of this page is the best guess.
        value={new URL(cloudApi.webhookUrl, window.location.origin).href}
      />
      <CopyField
        label={t("connections.cloud.verifyToken")}
        copyLabel={t("connections.cloud.copyToken")}
        value={cloudApi.verifyToken}
      />
    </>
  );
}
