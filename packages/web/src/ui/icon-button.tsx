import type { Icon } from "@tabler/icons-react";
import type { ComponentPropsWithRef, ReactNode } from "react";
import classes from "./icon-button.module.css";
import { tip } from "./tooltip.tsx";

type Props = Omit<ComponentPropsWithRef<"button">, "aria-label" | "children" | "title"> & {
  /** The name for screen readers and in the tooltip. */
  label: string;
  icon: Icon;
  /** Its keys, shown in the tooltip: "Alt R". */
  shortcut?: string | undefined;
  variant?: "subtle" | "filled";
  size?: "normal" | "small";
  isActive?: boolean;
  /** Something on the upper right corner, for example a count. */
  badge?: ReactNode;
};

/** An icon button whose name and icon are given. */
export type IconTargetProps = Omit<Props, "label" | "icon">;

/** A button with one icon. Its name is in the tooltip and for screen readers. */
export function IconButton(props: Props): ReactNode {
  const {
    label,
    icon: ButtonIcon,
    shortcut,
    variant = "subtle",
    size = "normal",
    isActive = false,
    badge,
    className,
    ...rest
  } = props;
  const names = [classes["button"], size === "small" ? classes["small"] : "", className ?? ""];
  return (
    <button
      type="button"
      {...tip(label, { keys: shortcut })}
      {...rest}
      aria-label={label}
      aria-keyshortcuts={shortcut?.replaceAll(" ", "+")}
      className={names.filter(Boolean).join(" ")}
      data-variant={variant}
      data-active={isActive || undefined}
    >
      <ButtonIcon size={size === "small" ? 15 : 19} stroke={1.7} aria-hidden="true" />
      {badge}
    </button>
  );
}
