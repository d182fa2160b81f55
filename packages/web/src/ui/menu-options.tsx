import { Menu } from "@mantine/core";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../i18n/index.ts";
import { matches } from "./matches.ts";
import classes from "./menu-options.module.css";

export type MenuOption = Readonly<{ id: number; name: string; color?: string }>;

/** From this number of options on, they can be searched by name. */
const SEARCHED_FROM = 9;
/** The largest number of options shown; a search finds the others. */
const SHOWN_MAX = 60;

type Props = {
  /** Undefined while unknown. */
  options: readonly MenuOption[] | undefined;
  chosen: readonly number[];
  onChoose: (ids: readonly number[]) => void;
};

/** Items of a menu of which any number can be chosen. */
export function MenuOptions({ options, chosen, onChoose }: Props): ReactNode {
  const { t } = useTranslation();
  const [name, setName] = useState("");
  const all = options ?? [];
  const found = all.filter((option) => matches(option.name, name)).slice(0, SHOWN_MAX);

  function toggle(id: number): void {
    onChoose(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  }

  return (
    <>
      {all.length < SEARCHED_FROM ? null : (
        <Menu.Search
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          placeholder={t("common.findOption")}
          aria-label={t("common.findOption")}
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
          {options === undefined ? t("common.loading") : t("common.noOption")}
        </p>
      ) : null}
    </>
  );
}
