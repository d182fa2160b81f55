import type { SimulatorMessage } from "@balcao/contract";
import { IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import classes from "./composer.module.css";

/** What the next text of the customer is about: an answer to a message, or a message's new text. */
export type Aim = { kind: "reply" | "edit"; message: SimulatorMessage };

/** Says it above the field, and takes it back. */
export function AimBar({ aim, onClose }: { aim: Aim; onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  return (
    <div className={classes["aim"]}>
      <p className={classes["aimText"]}>
        {t(aim.kind === "reply" ? "simulator.replyingTo" : "simulator.editing", {
          text: aim.message.body,
        })}
      </p>
      <IconButton size="small" label={t("common.cancel")} icon={IconX} onClick={onClose} />
    </div>
  );
}
