import type { ReactNode } from "react";
import { useSession } from "../../features/auth/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./top-bar.module.css";

/** Name, e-mail and profile of who is signed in. */
export function Identity(): ReactNode {
  const { t } = useTranslation();
  const { user } = useSession();
  return (
    <div className={classes["identity"]}>
      <p className={classes["name"]}>{user.name}</p>
      <p className={classes["email"]}>{user.email}</p>
      <p className={classes["profile"]}>{t(`shell.profiles.${user.profile}`)}</p>
    </div>
  );
}
