import { IconStarFilled } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { RowName } from "../../ui/page/row-name.tsx";
import classes from "./connections-page.module.css";

/** The name, and whether new tickets go out through it. */
export function ConnectionName({
  connection,
}: {
  connection: { name: string; isDefault: boolean };
}): ReactNode {
  const { t } = useTranslation();
  const { name, isDefault } = connection;
  return (
    <RowName
      name={name}
      after={
        isDefault ? (
          <span className={classes["default"]}>
            <IconStarFilled size={11} aria-hidden="true" />
            {t("connections.isDefault")}
          </span>
        ) : null
      }
    />
  );
}
