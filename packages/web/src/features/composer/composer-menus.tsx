import { Menu, Popover } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import { IconBraces, IconCalendarTime, IconTemplate } from "@tabler/icons-react";
import type { ReactElement, ReactNode } from "react";
import { Suspense, useRef, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import { VariableItems } from "../../ui/variable-menu.tsx";
import classes from "./composer.module.css";

type Props = {
  label: string;
  icon: Icon;
  onOpen?: () => void;
  children: (close: () => void) => ReactNode;
};

/** A tool of the composer with a popover above it. Escape closes only the popover and focuses the button. */
export function ToolPopover({ label, icon, onOpen, children }: Props): ReactNode {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const buttonRef = useRef<HTMLButtonElement>(null);
  return (
    <Popover
      opened={isOpen}
      onChange={setIsOpen}
      position="top-start"
      width={328}
      trapFocus
      closeOnEscape={false}
      shadow="md"
    >
      <Popover.Target>
        <IconButton
          ref={buttonRef}
          icon={icon}
          label={label}
          isActive={isOpen}
          onClick={() => {
            if (!isOpen) onOpen?.();
            setIsOpen(!isOpen);
          }}
        />
      </Popover.Target>
      <Popover.Dropdown
        className={classes["dropdown"]}
        aria-label={label}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          setIsOpen(false);
          buttonRef.current?.focus();
        }}
      >
        <Suspense fallback={<p className={classes["loading"]}>{t("common.loading")}</p>}>
          {children(() => setIsOpen(false))}
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Inserts a variable at the caret. */
export function VariablesMenu({ onPick }: { onPick: (variable: string) => void }): ReactNode {
  const { t } = useTranslation();
  return (
    <Menu position="top-start" width={300} returnFocus={false}>
      <Menu.Target>
        <IconButton icon={IconBraces} label={t("composer.variable")} />
      </Menu.Target>
      <Menu.Dropdown>
        <VariableItems onChoose={onPick} />
      </Menu.Dropdown>
    </Menu>
  );
}

type SendMenuProps = {
  /** The button that opens it. */
  target: ReactElement;
  isUndoOn: boolean;
  onUndoChange: (isOn: boolean) => void;
  /** Null if messages cannot be scheduled. */
  onSendLater: (() => void) | null;
  /** Null if the network has no approved messages. */
  onTemplate: (() => void) | null;
  /** Only on narrow screens, where variables have no own button; else null. */
  onVariable: ((variable: string) => void) | null;
};

/** The menu beside the send button: send later, and options of sending. */
export function SendMenu(props: SendMenuProps): ReactNode {
  const { target, isUndoOn, onUndoChange, onSendLater, onTemplate, onVariable } = props;
  const { t } = useTranslation();
  return (
    <Menu position="top-end" width={300}>
      <Menu.Target>{target}</Menu.Target>
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
