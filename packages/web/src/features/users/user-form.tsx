import type { ErrorCode } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import type { PasswordContext } from "@balcao/contract/passwords";
import { passwordFault } from "@balcao/contract/passwords";
import { TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { UseFormReturn } from "react-hook-form";
import { useForm, useWatch } from "react-hook-form";
import { ApiError } from "../../api/client.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { errorText, notifySuccess } from "../../ui/index.ts";
import { useSession } from "../auth/index.ts";
import { useSetting } from "../settings/index.ts";
import { addUser, changeUser } from "./api.ts";
import { PasswordField, PasswordStrength } from "./password-field.tsx";
import { RightsFields } from "./rights-fields.tsx";
import classes from "./user-form.module.css";
import type { FormUser, UserValues } from "./user-values.ts";
import { changeBodyOf, changesSignIn, newBodyOf, valuesOf } from "./user-values.ts";

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
  const { can, user: self } = useSession();
  const form = useForm<UserValues>({ defaultValues: valuesOf(user) });
  const { dirtyFields } = form.formState;
  const isSelf = user?.id === self.id;
  const save = useMutation({
    mutationFn: (values: UserValues) =>
      user === null
        ? addUser(newBodyOf(values))
        : changeUser(user.id, changeBodyOf(asked(values), dirtyFields)),
    onSuccess: () => {
      notifySuccess(savedText);
      onClose();
    },
    onError: (error) => {
      const field = fieldOf(error);
      if (field === null) return;
      form.setError(field, { message: failureText(t, error) }, { shouldFocus: true });
    },
  });
  const isAtField = fieldOf(save.error) !== null;

  /** A present password that was written and is not needed any more stays here. */
  function asked(values: UserValues): UserValues {
    const isNeeded = isSelf && user !== null && changesSignIn(user, values);
    return isNeeded ? values : { ...values, currentPassword: "" };
  }

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
      <AccountFields form={form} user={user} isSelf={isSelf} />
      {can("users:manage") ? <RightsFields form={form} isNew={user === null} /> : null}
    </FormDialog>
  );
}

type AccountProps = { form: UseFormReturn<UserValues>; user: FormUser | null; isSelf: boolean };

function AccountFields({ form, user, isSelf }: AccountProps): ReactNode {
  const { t } = useTranslation();
  const { company } = useSession().user;
  const { register } = form;
  const { errors } = form.formState;
  const isNew = user === null;
  const min = Number(useSetting("passwordMinLength"));
  const [name, email, password] = useWatch({
    control: form.control,
    name: ["name", "email", "password"],
  });
  const contextOf = (of: Pick<UserValues, "name" | "email">): PasswordContext => ({
    min,
    about: [of.name, of.email, company.name],
  });
  const passwordHelp = isNew
    ? t("users.passwordHelp", { min, max: limits.passwordMax })
    : t("users.newPasswordHelp");
  const mustConfirm = isSelf && user !== null && changesSignIn(user, { email, password });
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
        {...register("password", {
          validate: (value, all) => passwordError(t, value, { isNew, ...contextOf(all) }) ?? true,
        })}
        label={t(isNew ? "users.password" : "users.newPassword")}
        description={
          password === "" ? (
            passwordHelp
          ) : (
            <PasswordStrength password={password} context={contextOf({ name, email })} />
          )
        }
        inputWrapperOrder={["label", "input", "description", "error"]}
        error={errors.password?.message}
      />
      {mustConfirm ? (
        <PasswordField
          {...register("currentPassword", {
            validate: (value) => (value === "" ? t("users.required") : true),
          })}
          className={classes["whole"] ?? ""}
          label={t("users.currentPassword")}
          autoComplete="current-password"
          description={errors.currentPassword ? undefined : t("users.currentPasswordHelp")}
          inputWrapperOrder={["label", "input", "description", "error"]}
          error={errors.currentPassword?.message}
        />
      ) : null}
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

function passwordError(
  t: TFunction,
  value: string,
  { isNew, ...context }: PasswordContext & { isNew: boolean },
): string | null {
  if (value === "") return isNew ? t("users.required") : null;
  const max = limits.passwordMax;
  if (value.length > max) return t("users.tooLong", { max });
  const fault = passwordFault(value, context);
  if (fault === null) return null;
  return fault.code === "ERR_PASSWORD_SHORT"
    ? t("users.tooShort", { min: fault.data.min })
    : t("errors.ERR_PASSWORD_EASY");
}

type Refused = "email" | "password" | "currentPassword";

const refusedFields: Partial<Record<string, Refused>> = {
  ERR_USER_EMAIL_EXISTS: "email",
  ERR_PASSWORD_SHORT: "password",
  ERR_PASSWORD_EASY: "password",
  ERR_PASSWORD_CONFIRM: "currentPassword",
  ERR_PASSWORD_WRONG: "currentPassword",
} satisfies Partial<Record<ErrorCode, Refused>>;

/** Where an error of the server stands; null: above the buttons. */
function fieldOf(error: unknown): Refused | null {
  return error instanceof ApiError ? (refusedFields[error.code] ?? null) : null;
}

/** The server's reason with the number that comes with it. */
function failureText(t: TFunction, error: Error): string {
  if (!(error instanceof ApiError)) return errorText(t, error);
  const { code, data } = error;
  const hasData = typeof data === "object" && data !== null;
  if (code === "ERR_USER_LIMIT_REACHED" && hasData && "max" in data) {
    return t("users.limitReached", { max: String(data.max) });
  }
  if (code === "ERR_PASSWORD_SHORT" && hasData && "min" in data) {
    return t("users.tooShort", { min: String(data.min) });
  }
  return errorText(t, error);
}
