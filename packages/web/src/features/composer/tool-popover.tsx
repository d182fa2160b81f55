import { Popover } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useRef, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import classes from "./tool-popover.module.css";

type Props = {
  label: string;
  icon: Icon;
  disabled: boolean;
  onOpen?: () => void;
  children: (close: () => void) => ReactNode;
};

/** A tool of the composer that opens something above it. Esc closes only this and gives the focus back to its button. */
export function ToolPopover({ label, icon, disabled, onOpen, children }: Props): ReactNode {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const buttonRef = useRef<HTMLButtonElement>(null);
  return (
    <Popover
      opened={isOpen && !disabled}
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
          disabled={disabled}
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
