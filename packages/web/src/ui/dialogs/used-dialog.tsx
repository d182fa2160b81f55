import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { Button } from "../button.tsx";
import { QueueDot } from "../marks.tsx";
import { DialogFrame } from "./dialog-frame.tsx";
import classes from "./form-dialog.module.css";

/** A thing that uses the record; queues have a colour. */
type Place = { to: string; label: string; color?: string };

type Props = { title: string; text: string; places: readonly Place[]; onClose: () => void };

/** In place of a question before a deletion: the record is used, and links lead to where. */
export function UsedDialog({ title, text, places, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <DialogFrame opened title={title} onClose={onClose}>
      <div className="bc-form">
        <p className="bc-small">{text}</p>
        <ul className={classes["places"]}>
          {places.map(({ to, label, color }) => (
            <li key={`${to} ${label}`}>
              {color === undefined ? null : <QueueDot color={color} />} <Link to={to}>{label}</Link>
            </li>
          ))}
        </ul>
        <div className="bc-actions">
          <Button data-autofocus onClick={onClose}>
            {t("common.close")}
          </Button>
        </div>
      </div>
    </DialogFrame>
  );
}
