import { IconArrowDown } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./message-list.module.css";

/** The way back to the newest message, with how many came meanwhile. */
export function JumpToEnd({ count, onClick }: { count: number; onClick: () => void }): ReactNode {
  const { t } = useTranslation();
  const news = count > 0 ? t("messages.jumpNew", { count }) : null;
  return (
    <button
      type="button"
      className={classes["jump"]}
      aria-label={news === null ? t("messages.jump") : `${t("messages.jump")}, ${news}`}
      onClick={onClick}
    >
      <IconArrowDown size={17} stroke={1.7} aria-hidden="true" />
      {news === null ? null : <span>{news}</span>}
    </button>
  );
}
