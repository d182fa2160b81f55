import { Menu } from "@mantine/core";
import { IconCalendarTime, IconChevronUp, IconTemplate } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import classes from "./send-menu.module.css";
import { VariableItems } from "../../ui/variable-menu.tsx";

type Props = {
  disabled: boolean;
  isUndoOn: boolean;
  onUndoChange: (isOn: boolean) => void;
  /** Null where messages cannot be scheduled. */
  onSendLater: (() => void) | null;
  /** Null where the network has no approved messages. */
  onTemplate: (() => void) | null;
  /** On narrow screens, where the variables have no button of their own; else null. */
  onVariable: ((variable: string) => void) | null;
};

/** Beside the send button: later, and how sending goes. */
export function SendMenu(props: Props): ReactNode {
  const { disabled, isUndoOn, onUndoChange, onSendLater, onTemplate, onVariable } = props;
  const { t } = useTranslation();
  return (
    <Menu position="top-end" width={300}>
      <Menu.Target>
        <IconButton
          className={classes["button"]}
          size="small"
          icon={IconChevronUp}
          label={t("composer.sendMore")}
          disabled={disabled}
        />
      </Menu.Target>
      <Menu.Dropdown>
        {onSendLater === null ? null : (
          <Menu.Item
            leftSection={<IconCalendarTime size={19} stroke={1.7} aria-hidden="true" />}
            onClick={onSendLater}
          >
            {t("composer.sendLater")}
          </Menu.Item>
        )}
        {onTemplate === null ? null : (
          <Menu.Item
            leftSection={<IconTemplate size={19} stroke={1.7} aria-hidden="true" />}
            onClick={onTemplate}
          >
            {t("templates.open")}
          </Menu.Item>
        )}
        <Menu.CheckboxItem
          checked={isUndoOn}
          onChange={onUndoChange}
          title={t("composer.undoHelp")}
        >
          {t("composer.undo")}
        </Menu.CheckboxItem>
        {onVariable === null ? null : (
          <>
            <Menu.Divider />
            <Menu.Label>{t("composer.variable")}</Menu.Label>
            <VariableItems onChoose={onVariable} />
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
