import type { Colleague } from "@balcao/contract";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { QueueDot } from "../../ui/index.ts";
import { RowName } from "../../ui/page/row-name.tsx";
import classes from "./users-page.module.css";

/** Queues that have room in a row; the others are counted. */
const QUEUES_SHOWN = 3;

/** Who it is, whether he is there now, and whether it is oneself. */
export function UserName({ user, isSelf }: { user: Colleague; isSelf: boolean }): ReactNode {
  const { t } = useTranslation();
  const state = t(user.online ? "users.online" : "users.offline");
  return (
    <RowName
      name={user.name}
      before={
        <span
          className={classes["presence"]}
          data-online={user.online || undefined}
          role="img"
          aria-label={state}
          title={state}
        />
      }
      after={isSelf ? <span className={classes["self"]}>{t("users.self")}</span> : null}
    />
  );
}

/** The queues of a user by colour and name. */
export function UserQueues({ queues }: Pick<Colleague, "queues">): ReactNode {
  const { t } = useTranslation();
  if (queues.length === 0) return t("users.inNoQueue");
  const hidden = queues.slice(QUEUES_SHOWN);
  return (
    <span className={classes["queues"]}>
      {queues.slice(0, QUEUES_SHOWN).map(({ id, name, color }) => (
        <span key={id} className={classes["queue"]}>
          <QueueDot color={color} />
          {name}
        </span>
      ))}
      {hidden.length === 0 ? null : (
        <span title={hidden.map(({ name }) => name).join(", ")}>
          {t("users.moreQueues", { count: hidden.length })}
        </span>
      )}
    </span>
  );
}
