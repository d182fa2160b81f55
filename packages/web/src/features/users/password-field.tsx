import type { PasswordContext } from "@balcao/contract/passwords";
import { passwordStrength } from "@balcao/contract/passwords";
import { TextInput } from "@mantine/core";
import { IconEye, IconEyeOff } from "@tabler/icons-react";
import type { ComponentPropsWithRef, ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import classes from "./user-form.module.css";

type Props = Omit<ComponentPropsWithRef<typeof TextInput>, "type" | "rightSection">;

/** A password, a new one unless `autoComplete` says otherwise; it can be looked at while it is written. */
export function PasswordField(props: Props): ReactNode {
  const { t } = useTranslation();
  const [isShown, setShown] = useState(false);
  return (
    <TextInput
      autoComplete="new-password"
      {...props}
      type={isShown ? "text" : "password"}
      autoCapitalize="none"
      spellCheck={false}
      rightSection={
        <IconButton
          size="small"
          label={t(isShown ? "auth.hidePassword" : "auth.showPassword")}
          icon={isShown ? IconEyeOff : IconEye}
          onClick={() => setShown(!isShown)}
        />
      }
    />
  );
}

const strengths = ["refused", "weak", "fair", "good", "strong"] as const;

/** How hard a password that is being chosen is to guess, as a bar and in a word. */
export function PasswordStrength({
  password,
  context,
}: {
  password: string;
  context: PasswordContext;
}): ReactNode {
  const { t } = useTranslation();
  const level = passwordStrength(password, context);
  const name = t(`users.strengths.${strengths[level]}`);
  return (
    <span className={classes["strength"]} data-level={level}>
      <span className={classes["steps"]} aria-hidden="true">
        {strengths.slice(1).map((step, index) => (
          <span key={step} className={classes["step"]} data-on={index < level || undefined} />
        ))}
      </span>
      <span role="status">{t("users.strength", { name })}</span>
    </span>
  );
}
