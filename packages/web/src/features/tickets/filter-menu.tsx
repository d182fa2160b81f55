import { Menu } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import { IconChevronDown } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { matches } from "../../ui/matches.ts";
import classes from "./filter-menu.module.css";

export type FilterOption = Readonly<{ id: number; name: string; color?: string }>;

type Props = {
  label: string;
  icon: Icon;
  /** Undefined while unknown. */
  options: readonly FilterOption[] | undefined;
  chosen: readonly number[];
  onChoose: (ids: readonly number[]) => void;
};

/** From so many options on they can be looked for by name. */
const SEARCHED_FROM = 9;
/** So many are shown; the name finds the others. */
const SHOWN_MAX = 60;

/** Chooses any number of options; the button says how many. */
export function FilterMenu({ label, icon: Sign, options, chosen, onChoose }: Props): ReactNode {
  const { t } = useTranslation();
  const [name, setName] = useState("");
  const all = options ?? [];
  const found = all.filter((option) => matches(option.name, name)).slice(0, SHOWN_MAX);

  function toggle(id: number): void {
    onChoose(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  }

  return (
    <Menu position="bottom-start" width={240} onClose={() => setName("")}>
      <Menu.Target>
        <button
          type="button"
          className={classes["chip"]}
          data-active={chosen.length > 0 || undefined}
        >
          <Sign size={15} stroke={1.7} aria-hidden="true" />
          {label}
          {chosen.length > 0 ? <span className={classes["count"]}>{chosen.length}</span> : null}
          <IconChevronDown size={13} stroke={1.9} aria-hidden="true" />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {all.length < SEARCHED_FROM ? null : (
          <Menu.Search
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            placeholder={t("tickets.search.findOption")}
            aria-label={t("tickets.search.findOption")}
          />
        )}
        <div className={classes["options"]}>
          {found.map((option) => (
            <Menu.CheckboxItem
              key={option.id}
              checked={chosen.includes(option.id)}
              onChange={() => toggle(option.id)}
            >
              <span className={classes["option"]}>
                {option.color === undefined ? null : (
                  <span className={classes["color"]} style={{ background: option.color }} />
                )}
                {option.name}
              </span>
            </Menu.CheckboxItem>
          ))}
        </div>
        {found.length === 0 ? (
          <p className={classes["none"]}>
            {options === undefined ? t("common.loading") : t("tickets.search.noOption")}
          </p>
        ) : null}
        {chosen.length > 0 ? (
          <>
            <Menu.Divider />
            <Menu.Item onClick={() => onChoose([])}>{t("tickets.search.dropFilter")}</Menu.Item>
          </>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  );
}
