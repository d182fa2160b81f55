import type { ComponentPropsWithRef, ReactNode } from "react";
import classes from "./button.module.css";
import { Loader } from "./loader.tsx";

type Look = {
  /** `filled` is the main action, `default` any other, `subtle` has no frame. */
  variant?: "filled" | "default" | "subtle";
  /** For actions that cannot be undone. */
  color?: "bad";
  size?: "normal" | "xs" | "compact";
  /** As wide as its place. */
  fullWidth?: boolean;
};

type Props = Omit<ComponentPropsWithRef<"button">, "color"> &
  Look & {
    /** The action is running; the button is disabled meanwhile. */
    loading?: boolean;
    /** An icon before the text. */
    leftSection?: ReactNode;
  };

/** A button with a text. */
export function Button(props: Props): ReactNode {
  const { variant, color, size, fullWidth, loading = false, ...others } = props;
  const { leftSection, className, disabled = false, children, ...rest } = others;
  const look = buttonLook({ variant, color, size, fullWidth });
  return (
    <button
      type="button"
      {...rest}
      {...look}
      className={className ? `${look.className} ${className}` : look.className}
      disabled={disabled || loading}
      data-loading={loading || undefined}
      data-with-sign={leftSection ? true : undefined}
    >
      {leftSection ? <span className={classes["sign"]}>{leftSection}</span> : null}
      {children}
      {loading ? (
        <span className={classes["waiting"]} aria-hidden="true">
          <Loader />
        </span>
      ) : null}
    </button>
  );
}

/** The class names of a button, for links that look like one. */
export function buttonLook({
  variant = "filled",
  color,
  size = "normal",
  fullWidth,
}: { [K in keyof Look]: Look[K] | undefined }) {
  return {
    className: classes["button"] ?? "",
    "data-variant": variant,
    "data-tone": color,
    "data-size": size,
    "data-block": fullWidth || undefined,
  };
}
