import type { Profile } from "@balcao/contract/permissions";
import { seesTicketsWithoutQueue } from "@balcao/contract/permissions";
import type { NewUserBody, UserChangeBody } from "./api.ts";
import type { ErrorCode } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import type { PasswordContext } from "@balcao/contract/passwords";
import { passwordFault, passwordStrength } from "@balcao/contract/passwords";
import { NativeSelect, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import type { UseFormReturn } from "react-hook-form";
import { Controller, useWatch } from "react-hook-form";
import { ApiError } from "../../api/client.ts";
import type { TFunction } from "../../i18n/index.ts";
import { currentLanguage, useTranslation } from "../../i18n/index.ts";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { SegmentedField } from "../../ui/dialogs/segmented-field.tsx";
import { SwitchField } from "../../ui/dialogs/switch-field.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { FieldGroup } from "../../ui/field-group.tsx";
import { errorText, notifySuccess } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import { useSession } from "../auth/index.ts";
import { DeviceSection } from "../push/index.ts";
import { RoleField } from "../roles/index.ts";
import { useSetting } from "../settings/index.ts";
import { addUser, changeUser } from "./api.ts";
import classes from "./user-form.module.css";
import { QueueChoice } from "../../ui/queue-choice.tsx";
import { useConnections } from "../connections/index.ts";
import { useQueues } from "../queues/index.ts";

/** The values of the form. */
type UserValues = {
  name: string;
  email: string;
  /** How a new user comes in. */
  access: "invite" | "password";
  /** Empty: unchanged. */
  password: string;
  /** The present password, when users change their own e-mail or password. */
  currentPassword: string;
  profile: Profile;
  /** Null: the permissions of the profile. */
  roleId: number | null;
  queueIds: number[];
  seesNoQueue: boolean;
  /** An id, or "" for the company's default connection. */
  whatsappId: string;
  ticketLimit: string;
};

/** The fields that the form needs: of a user of the list, or of the signed-in user. */
type FormUser = {
  id: number;
  name: string;
  email: string;
  profile: Profile;
  /** Absent where the rights cannot be changed, and for the signed-in user: then `role` says it. */
  roleId?: number | null;
  role?: { id: number } | undefined;
  allTicket: string;
  whatsappId: number | null;
  /** Only where the rights can be changed. */
  ticketLimit?: number;
  queues: readonly { id: number }[];
};

/** As the server gives it to a new user. */
const USUAL_LIMIT = 6;

/** The initial values; `null` is a new user, an agent by default. */
function valuesOf(user: FormUser | null): UserValues {
  return {
    name: user?.name ?? "",
    email: user?.email ?? "",
    access: "invite",
    password: "",
    currentPassword: "",
    profile: user?.profile ?? "user",
    roleId: user?.roleId ?? user?.role?.id ?? null,
    queueIds: user?.queues.map(({ id }) => id) ?? [],
    seesNoQueue: seesTicketsWithoutQueue(user?.allTicket ?? ""),
    whatsappId: user?.whatsappId == null ? "" : String(user.whatsappId),
    ticketLimit: String(user?.ticketLimit ?? USUAL_LIMIT),
  };
}

function newBodyOf(values: UserValues): NewUserBody {
  return {
    name: values.name.trim(),
    email: values.email.trim(),
    // The mail of an invitation is written in the language of this page.
    ...(values.access === "invite"
      ? { password: "", language: currentLanguage() }
      : { password: values.password }),
    profile: values.profile,
    roleId: values.roleId,
    allTicket: values.seesNoQueue ? "enabled" : "desabled",
    whatsappId: values.whatsappId === "" ? null : Number(values.whatsappId),
    ticketLimit: Number(values.ticketLimit),
    queueIds: values.queueIds,
  };
}

/** True if the change affects the sign-in. */
function changesSignIn(user: FormUser, values: Pick<UserValues, "email" | "password">): boolean {
  return values.password !== "" || values.email.trim() !== user.email;
}

/** Only the changed fields, so that another admin's changes to other fields stay. */
function changeBodyOf(values: UserValues, changed: Partial<UserValues>): UserChangeBody {
  const all = newBodyOf(values);
  return {
    ...("name" in changed ? { name: all.name } : {}),
    ...("email" in changed ? { email: all.email } : {}),
    ...(values.password === "" ? {} : { password: values.password }),
    ...(values.currentPassword === "" ? {} : { currentPassword: values.currentPassword }),
    ...("profile" in changed || "roleId" in changed
      ? { profile: all.profile, roleId: all.roleId }
      : {}),
    ...("seesNoQueue" in changed ? { allTicket: all.allTicket } : {}),
    ...("whatsappId" in changed ? { whatsappId: all.whatsappId } : {}),
    ...("ticketLimit" in changed ? { ticketLimit: all.ticketLimit } : {}),
    ...("queueIds" in changed ? { queueIds: all.queueIds } : {}),
  };
}

type UserFormProps = {
  title: string;
  /** Null: a new one. */
  user: FormUser | null;
  savedText: string;
  onClose: () => void;
};

/** Catches typing errors only; the server decides. */
const EMAIL_FORM = /^\s*\S+@\S+\.\S+\s*$/;

/** Name, e-mail and password of a user, and for admins the user's rights. */
export function UserForm({ title, user, savedText, onClose }: UserFormProps): ReactNode {
  const { t } = useTranslation();
  const { can, user: self } = useSession();
  const isSelf = user?.id === self.id;
  const [isCovered, setCovered] = useState(false);
  const { dialog, ...form } = useRecordForm({
    id: user?.id ?? null,
    values: valuesOf(user),
    save: (id, values, changed) =>
      id === null
        ? addUser(newBodyOf(values))
        : changeUser(id, changeBodyOf(asked(values), changed)),
    savedText: null,
    fieldErrors: refusedFields,
    textOf: (error) => failureText(t, error),
    onSaved({ email }) {
      const isInvited = user === null && form.getValues("access") === "invite";
      notifySuccess(isInvited ? t("users.invited", { email }) : savedText);
      onClose();
    },
    onClose,
  });

  /** The values without the present password when it is no longer needed. */
  function asked(values: UserValues): UserValues {
    const isNeeded = isSelf && user !== null && changesSignIn(user, values);
    return isNeeded ? values : { ...values, currentPassword: "" };
  }

  return (
    <FormDialog
      {...dialog}
      {...(isCovered ? { isCovered } : {})}
      size={can("users:manage") ? 640 : 480}
      title={title}
    >
      {can("users:manage") ? (
        <>
          <FieldGroup legend={t("users.account")}>
            <AccountFields form={form} user={user} isSelf={isSelf} />
          </FieldGroup>
          <RightsFields form={form} user={user} />
        </>
      ) : (
        <AccountFields form={form} user={user} isSelf={isSelf} />
      )}
      {user === null ? null : (
        <Suspense fallback={null}>
          {isSelf ? (
            <AccountSecurity onCover={setCovered} />
          ) : (
            <ColleagueSecurity user={user} onCover={setCovered} />
          )}
        </Suspense>
      )}
      {isSelf ? (
        <Suspense fallback={null}>
          <DeviceSection />
        </Suspense>
      ) : null}
    </FormDialog>
  );
}

const loadSecurity = () => import("../account-security/index.ts");
const AccountSecurity = lazyPart(
  async () => (await loadSecurity()).AccountSecurity,
  "inline",
  "trust",
);
const ColleagueSecurity = lazyPart(
  async () => (await loadSecurity()).ColleagueSecurity,
  "inline",
  "trust",
);

type AccountProps = { form: UseFormReturn<UserValues>; user: FormUser | null; isSelf: boolean };

function AccountFields({ form, user, isSelf }: AccountProps): ReactNode {
  const { t } = useTranslation();
  const { company } = useSession().user;
  const { register } = form;
  const { errors } = form.formState;
  const isNew = user === null;
  const min = Number(useSetting("passwordMinLength"));
  const [name, email, password, access] = useWatch({
    control: form.control,
    name: ["name", "email", "password", "access"],
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
        className={isNew ? "" : (classes["whole"] ?? "")}
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
        error={errors.email?.message}
        maxLength={limits.emailMax}
        autoComplete="off"
        inputMode="email"
        autoCapitalize="none"
        spellCheck={false}
      />
      {isNew ? (
        <div className={classes["whole"]}>
          <SegmentedField
            control={form.control}
            name="access"
            label={t("users.access")}
            description={t(access === "invite" ? "users.inviteHelp" : "users.setPasswordHelp")}
            choices={[
              { value: "invite", label: t("users.invite") },
              { value: "password", label: t("users.setPassword") },
            ]}
          />
        </div>
      ) : null}
      {isNew && access === "invite" ? null : (
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
          error={errors.password?.message}
        />
      )}
      {mustConfirm ? (
        <PasswordField
          {...register("currentPassword", {
            validate: (value) => (value === "" ? t("users.required") : true),
          })}
          className={classes["whole"] ?? ""}
          label={t("users.currentPassword")}
          autoComplete="current-password"
          description={errors.currentPassword ? undefined : t("users.currentPasswordHelp")}
          error={errors.currentPassword?.message}
        />
      ) : null}
    </div>
  );
}

/** The error of a name by the rules of spec 5, or null. */
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

const refusedFields = {
  ERR_USER_EMAIL_EXISTS: "email",
  ERR_PASSWORD_SHORT: "password",
  ERR_PASSWORD_EASY: "password",
  ERR_PASSWORD_CONFIRM: "currentPassword",
  ERR_PASSWORD_WRONG: "currentPassword",
} as const satisfies Partial<Record<ErrorCode, keyof UserValues>>;

/** The server's error with its number. */
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

type RightsProps = { form: UseFormReturn<UserValues>; user: FormUser | null };

/** The rights that admins set: profile, queues, tickets without a queue, connection. */
function RightsFields({ form, user }: RightsProps): ReactNode {
  const { t } = useTranslation();
  const { control } = form;
  const queues = useQueues();
  return (
    <>
      <FieldGroup legend={t("users.rights")}>
        <ProfileField form={form} user={user} />
        <div className={classes["pair"]}>
          <ConnectionField form={form} />
          {user === null || user.ticketLimit !== undefined ? <LimitField form={form} /> : null}
        </div>
        <SwitchField
          control={control}
          name="seesNoQueue"
          label={t("users.allTicket")}
          description={t("users.allTicketHelp")}
        />
      </FieldGroup>
      <Controller
        control={control}
        name="queueIds"
        render={({ field: { value, onChange } }) => (
          <QueueChoice
            legend={t("users.queues")}
            help={t(queues?.length === 0 ? "users.noQueues" : "users.queuesHelp")}
            queues={queues}
            value={value}
            onChange={onChange}
          />
        )}
      />
    </>
  );
}

function ProfileField({ form, user }: RightsProps): ReactNode {
  const [profile, roleId] = useWatch({ control: form.control, name: ["profile", "roleId"] });
  return (
    <Suspense fallback={<div className={classes["profile"]} />}>
      <RoleField
        profile={profile}
        roleId={roleId}
        isOtherProfile={user !== null && profile !== user.profile}
        onChange={(next, nextRole) => {
          form.setValue("profile", next, { shouldDirty: true });
          form.setValue("roleId", nextRole, { shouldDirty: true });
        }}
      />
    </Suspense>
  );
}

function ConnectionField({ form }: { form: UseFormReturn<UserValues> }): ReactNode {
  const { t } = useTranslation();
  const connections = useConnections();
  return (
    <Controller
      control={form.control}
      name="whatsappId"
      render={({ field }) => (
        <NativeSelect
          {...field}
          label={t("users.connection")}
          description={t("users.connectionHelp")}
          data={[
            { value: "", label: t("users.noConnection") },
            ...connections.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
        />
      )}
    />
  );
}

const LIMIT_DIGITS = 3;

/** How many open tickets automatic assignment leads the user to at most. */
function LimitField({ form }: { form: UseFormReturn<UserValues> }): ReactNode {
  const { t } = useTranslation();
  const max = limits.ticketLimitMax;
  const { ticketLimit: fault } = form.formState.errors;
  const isLimit = (value: string): boolean =>
    /^\d+$/.test(value.trim()) && Number(value) >= 1 && Number(value) <= max;
  return (
    <TextInput
      {...form.register("ticketLimit", {
        validate: (value) => isLimit(value) || t("users.ticketLimitWrong", { max }),
      })}
      label={t("users.ticketLimit")}
      description={fault ? undefined : t("users.ticketLimitHelp")}
      error={fault?.message}
      inputMode="numeric"
      maxLength={LIMIT_DIGITS}
      autoComplete="off"
    />
  );
}

const strengths = ["refused", "weak", "fair", "good", "strong"] as const;

/** The strength of a new password, as a bar and a word. */
function PasswordStrength({
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
