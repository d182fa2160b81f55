import { Menu } from "@mantine/core";
import { IconBraces } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import { VariableItems } from "../../ui/variable-menu.tsx";

type Props = { onPick: (variable: string) => void; disabled: boolean };

/** Inserts a variable at the caret. */
export function VariablesMenu({ onPick, disabled }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <Menu position="top-start" width={300} returnFocus={false}>
      <Menu.Target>
        <IconButton icon={IconBraces} label={t("composer.variable")} disabled={disabled} />
      </Menu.Target>
      <Menu.Dropdown>
        <VariableItems onChoose={onPick} />
      </Menu.Dropdown>
    </Menu>
  );
}
