import { TextInput } from "@mantine/core";
import { IconEye, IconEyeOff } from "@tabler/icons-react";
import type { ComponentPropsWithRef, ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";

type Props = Omit<ComponentPropsWithRef<typeof TextInput>, "type" | "rightSection">;

/** A new password, which can be looked at while it is written. */
export function PasswordField(props: Props): ReactNode {
  const { t } = useTranslation();
  const [isShown, setShown] = useState(false);
  return (
    <TextInput
      {...props}
      type={isShown ? "text" : "password"}
      autoComplete="new-password"
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
