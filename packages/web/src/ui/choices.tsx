import type { SheetFormat } from "@balcao/contract";
import { Menu } from "@mantine/core";
import type { ReactElement, ReactNode } from "react";
import { chooseLanguage, languages, useLanguage, useTranslation } from "../i18n/index.ts";
import { isLanguage, localeTags } from "../i18n/languages.ts";
import { notifyError, notifySuccess } from "./toasts.tsx";

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

const sheetFormats: readonly SheetFormat[] = ["xlsx", "csv"];

type ExportProps = {
  /** Rows that the file will have. Absent where it is no list. */
  count: number | undefined;
  save: (format: SheetFormat) => Promise<void>;
  /** Opens the menu. */
  target: ReactElement;
};

/** Chooses the kind of spreadsheet that rows are saved as. */
export function ExportChoices({ count, save, target }: ExportProps): ReactNode {
  const { t } = useTranslation();
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        {count === undefined ? null : <Menu.Label>{t("common.export.rows", { count })}</Menu.Label>}
        <ExportItems save={save} />
      </Menu.Dropdown>
    </Menu>
  );
}

/** The kinds of spreadsheets as items of a menu. */
export function ExportItems({ save }: Pick<ExportProps, "save">): ReactNode {
  const { t } = useTranslation();
  return sheetFormats.map((format) => (
    <Menu.Item
      key={format}
      onClick={() => {
        notifySuccess(t("common.export.begun"));
        save(format).catch(notifyError);
      }}
    >
      {t(`common.export.${format}`)}
    </Menu.Item>
  ));
}
