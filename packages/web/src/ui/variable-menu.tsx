import type { NameVariable } from "@balcao/contract";
import { Menu } from "@mantine/core";
import { IconBraces } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../i18n/index.ts";
import { Button } from "./button.tsx";

/** The variables that the server replaces when a message is sent (behaviour 3). */
const variables = ["firstName", "name", "ms", "protocol", "hora"] as const;

type Props = {
  /** Called with the variable as text: `{{name}}`. */
  onChoose: (variable: string) => void;
  /** Variables of this text alone. */
  names?: readonly NameVariable[] | undefined;
};

/** The variables as entries of a menu, in plain words. */
export function VariableItems({ onChoose, names }: Props): ReactNode {
  const { t } = useTranslation();
  return [...variables, ...(names ?? [])].map((variable) => (
    <Menu.Item
      key={variable}
      rightSection={<code className="bc-meta">{`{{${variable}}}`}</code>}
      onClick={() => onChoose(`{{${variable}}}`)}
    >
      {t(`common.variables.${variable}`)}
    </Menu.Item>
  ));
}

/** A menu of variables, named by their meaning. */
export function VariableMenu(props: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <Menu position="bottom-end" width={300}>
      <Menu.Target>
        <Button
          variant="subtle"
          size="xs"
          leftSection={<IconBraces size={15} stroke={1.7} aria-hidden="true" />}
        >
          {t("common.variables.insert")}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <VariableItems {...props} />
      </Menu.Dropdown>
    </Menu>
  );
}
