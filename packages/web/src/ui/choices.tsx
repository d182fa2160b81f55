import { Menu } from "@mantine/core";
import type { ReactElement, ReactNode } from "react";
import { chooseLanguage, languages, useLanguage, useTranslation } from "../i18n/index.ts";
import { isLanguage, localeTags } from "../i18n/languages.ts";
import { notifyError } from "./toasts.tsx";

/** The menu of languages; `target` opens it. */
export function LanguageChoices({ target }: { target: ReactElement }): ReactNode {
  return (
    <Menu position="bottom-end" width={190}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <LanguageItems />
      </Menu.Dropdown>
    </Menu>
  );
}

/** The languages as items of a menu, each in its own words. */
export function LanguageItems(): ReactNode {
  const { t } = useTranslation();
  return (
    <Menu.RadioGroup value={useLanguage()} onChange={choose}>
      {languages.map((language) => (
        <Menu.RadioItem
          key={language}
          value={language}
          lang={localeTags[language]}
          closeMenuOnClick
        >
          {t(`common.languages.${language}`)}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}

function choose(value: string): void {
  if (isLanguage(value)) chooseLanguage(value).catch(notifyError);
}

type ColumnProps = {
  /** The columns that can be hidden. */
  columns: readonly { id: string; title: string }[];
  hidden: readonly string[];
  onChange: (hidden: string[]) => void;
  /** Opens the menu. */
  target: ReactElement;
};

/** Chooses the columns of a table. */
export function ColumnChoices({ columns, hidden, onChange, target }: ColumnProps): ReactNode {
  return (
    <Menu position="bottom-end" width={220} closeOnItemClick={false}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        {columns.map(({ id, title }) => (
          <Menu.CheckboxItem
            key={id}
            checked={!hidden.includes(id)}
            onChange={(isShown) =>
              onChange(isShown ? hidden.filter((one) => one !== id) : [...hidden, id])
            }
          >
            {title}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
