import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { UseFormReturn } from "react-hook-form";
import { useForm } from "react-hook-form";
import { ApiError, hasCode } from "../../api/client.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { errorText, notifySuccess } from "../../ui/index.ts";
import { useSession } from "../auth/index.ts";
import { addUser, changeUser } from "./api.ts";
import { PasswordField } from "./password-field.tsx";
import { RightsFields } from "./rights-fields.tsx";
import classes from "./user-form.module.css";
import type { FormUser, UserValues } from "./user-values.ts";
import { changeBodyOf, newBodyOf, valuesOf } from "./user-values.ts";

type Props = {
  title: string;
  /** Null: a new one. */
  user: FormUser | null;
  savedText: string;
  onClose: () => void;
};

/** Enough to catch a slip of the fingers; the server decides. */
const EMAIL_FORM = /^\s*\S+@\S+\.\S+\s*$/;

/** Name, e-mail and password of a user, and for admins what he may do. */
export function UserForm({ title, user, savedText, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const form = useForm<UserValues>({ defaultValues: valuesOf(user) });
  const { dirtyFields } = form.formState;
  const save = useMutation({
    mutationFn: (values: UserValues) =>
      user === null
        ? addUser(newBodyOf(values))
        : changeUser(user.id, changeBodyOf(values, dirtyFields)),
    onSuccess: () => {
      notifySuccess(savedText);
      onClose();
    },
    onError: (error) => {
      if (!hasCode(error, "ERR_USER_EMAIL_EXISTS")) return;
      form.setError("email", { message: errorText(t, error) }, { shouldFocus: true });
    },
  });
  const isAtField = hasCode(save.error, "ERR_USER_EMAIL_EXISTS");
  return (
    <FormDialog
      size={can("users:manage") ? 640 : 480}
      title={title}
      submitLabel={t("common.save")}
      isBusy={save.isPending}
      error={save.error === null || isAtField ? null : failureText(t, save.error)}
      onSubmit={(event) => void form.handleSubmit((values) => save.mutate(values))(event)}
      onClose={onClose}
    >
      <AccountFields form={form} isNew={user === null} />
      {can("users:manage") ? <RightsFields form={form} isNew={user === null} /> : null}
    </FormDialog>
  );
}

function AccountFields({ form, isNew }: { form: UseFormReturn<UserValues>; isNew: boolean }) {
  const { t } = useTranslation();
  const { register } = form;
  const { errors } = form.formState;
  const passwordHelp = t(isNew ? "users.passwordHelp" : "users.newPasswordHelp");
  return (
    <div className={classes["pair"]}>
      <TextInput
        {...register("name", { validate: (value) => nameError(t, value) ?? true })}
        className={classes["whole"] ?? ""}
        label={t("users.name")}
        error={errors.name?.message}
        autoComplete="off"
        data-autofocus
      />
      <TextInput
        {...register("email", { validate: (value) => emailError(t, value) ?? true })}
        type="email"
        label={t("users.email")}
        description={errors.email ? undefined : t("users.emailHelp")}
        inputWrapperOrder={["label", "input", "description", "error"]}
        error={errors.email?.message}
        maxLength={limits.emailMax}
        autoComplete="off"
        inputMode="email"
        autoCapitalize="none"
        spellCheck={false}
      />
      <PasswordField
        {...register("password", { validate: (value) => passwordError(t, value, isNew) ?? true })}
        label={t(isNew ? "users.password" : "users.newPassword")}
        description={errors.password ? undefined : passwordHelp}
        inputWrapperOrder={["label", "input", "description", "error"]}
        error={errors.password?.message}
      />
    </div>
  );
}

/** The rules of spec 5, in words; null where there is nothing to say. */
function nameError(t: TFunction, value: string): string | null {
  const { length } = value.trim();
  if (length === 0) return t("users.required");
  if (length < limits.nameMin) return t("users.tooShort", { min: limits.nameMin });
  return length > limits.nameMax ? t("users.tooLong", { max: limits.nameMax }) : null;
}

function emailError(t: TFunction, value: string): string | null {
  if (value.trim() === "") return t("users.required");
  return EMAIL_FORM.test(value) ? null : t("users.emailInvalid");
}

function passwordError(t: TFunction, value: string, isNew: boolean): string | null {
  if (value === "") return isNew ? t("users.required") : null;
  if (value.length < limits.passwordMin) return t("users.tooShort", { min: limits.passwordMin });
  const max = limits.passwordMax;
  return value.length > max ? t("users.tooLong", { max }) : null;
}

function failureText(t: TFunction, error: Error): string {
  if (error instanceof ApiError && error.code === "ERR_USER_LIMIT_REACHED") {
    const { data } = error;
    const isTold = typeof data === "object" && data !== null && "max" in data;
    if (isTold) return t("users.limitReached", { max: String(data.max) });
  }
  return errorText(t, error);
}
