import { Button, TextInput } from "@mantine/core";
import { IconAlertCircle, IconEye, IconEyeOff } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { hasCode } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { errorText, IconButton, notifySuccess } from "../../ui/index.ts";
import type { Credentials } from "./api.ts";
import { signIn } from "./api.ts";
import classes from "./login-page.module.css";

/** Enough to catch a slip of the fingers; the server decides. */
const EMAIL_FORM = /^\s*\S+@\S+\.\S+\s*$/;

/** E-mail and password. Once signed in, the guard of the page leads on. */
export function LoginForm(): ReactNode {
  const { t } = useTranslation();
  const [isPasswordShown, setPasswordShown] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const { register, handleSubmit, formState, setFocus, resetField } = useForm<Credentials>({
    defaultValues: { email: "", password: "" },
  });
  const { errors, isSubmitting } = formState;

  async function submit(credentials: Credentials): Promise<void> {
    setFailure(null);
    try {
      await signIn(credentials);
      notifySuccess(t("auth.welcome"));
    } catch (error) {
      setFailure(error);
      if (!hasCode(error, "ERR_INVALID_CREDENTIALS")) return;
      resetField("password");
      // After the fields are enabled again.
      setTimeout(() => setFocus("password"));
    }
  }

  return (
    <form
      noValidate
      className={classes["form"]}
      aria-label={t("auth.title")}
      onSubmit={(event) => void handleSubmit(submit)(event)}
    >
      <TextInput
        {...register("email", {
          required: t("auth.emailRequired"),
          pattern: { value: EMAIL_FORM, message: t("auth.emailInvalid") },
        })}
        type="email"
        label={t("auth.email")}
        placeholder={t("auth.emailPlaceholder")}
        error={errors.email?.message}
        autoComplete="username"
        inputMode="email"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
      />
      <TextInput
        {...register("password", { required: t("auth.passwordRequired") })}
        type={isPasswordShown ? "text" : "password"}
        label={t("auth.password")}
        error={errors.password?.message}
        autoComplete="current-password"
        autoCapitalize="none"
        spellCheck={false}
        rightSection={
          <IconButton
            size="small"
            label={t(isPasswordShown ? "auth.hidePassword" : "auth.showPassword")}
            icon={isPasswordShown ? IconEyeOff : IconEye}
            onClick={() => setPasswordShown(!isPasswordShown)}
          />
        }
      />
      {failure === null ? null : (
        <p className={classes["failure"]} role="alert">
          <IconAlertCircle size={18} stroke={1.7} aria-hidden="true" />
          {errorText(t, failure)}
        </p>
      )}
      <Button type="submit" fullWidth className={classes["submit"] ?? ""} loading={isSubmitting}>
        {t("auth.submit")}
      </Button>
    </form>
  );
}
