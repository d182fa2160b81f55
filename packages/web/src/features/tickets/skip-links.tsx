import type { MouseEvent, ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./skip-links.module.css";

/** The first stops of the Tab key on this screen. Targets that are not on the screen do nothing. */
export function SkipLinks(): ReactNode {
  const { t } = useTranslation();
  const skip = (id: string) => (event: MouseEvent) => {
    event.preventDefault(); // the address bar belongs to the routes
    document.querySelector<HTMLElement>(`#${id}`)?.focus();
  };
  const links = [
    ["ticket-list", t("tickets.skipToList")],
    ["messages", t("tickets.skipToMessages")],
    ["composer", t("tickets.skipToComposer")],
  ] as const;
  return links.map(([id, label]) => (
    <a key={id} className={classes["skip"]} href={`#${id}`} onClick={skip(id)}>
      {label}
    </a>
  ));
}
