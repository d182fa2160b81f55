import { TextInput } from "@mantine/core";
import { IconEye, IconEyeOff } from "@tabler/icons-react";
import type { ComponentPropsWithRef, ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../i18n/index.ts";
import { IconButton } from "./icon-button.tsx";

type PasswordProps = Omit<ComponentPropsWithRef<typeof TextInput>, "type" | "rightSection">;

/** A password field with a button that shows it; for a new password unless `autoComplete` says otherwise. */
export function PasswordField(props: PasswordProps): ReactNode {
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
