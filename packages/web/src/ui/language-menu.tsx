import { Menu } from "@mantine/core";
import { IconLanguage } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { chooseLanguage, languages, useLanguage, useTranslation } from "../i18n/index.ts";
import { isLanguage, localeTags } from "../i18n/languages.ts";
import { IconButton } from "./icon-button.tsx";
import { notifyError } from "./toasts.tsx";

/** Chooses the language of the product. Each language is named in itself. */
export function LanguageMenu(): ReactNode {
  const { t } = useTranslation();
  return (
    <Menu position="bottom-end" width={190}>
      <Menu.Target>
        <IconButton label={t("shell.language")} icon={IconLanguage} />
      </Menu.Target>
      <Menu.Dropdown>
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
      </Menu.Dropdown>
    </Menu>
  );
}

function choose(value: string): void {
  if (isLanguage(value)) chooseLanguage(value).catch(notifyError);
}
