import "@mantine/core/styles/Checkbox.layer.css";
import "@mantine/core/styles/InlineInput.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import { limits } from "@balcao/contract/limits";
import type { Profile } from "@balcao/contract/permissions";
import type { RolePermission, RoleSubject } from "@balcao/contract/role-permissions";
import {
  differencesOf,
  isGrantable,
  permissionsOfProfile,
  permissionsOfRole,
  rolePermissions,
  roleSubjects,
} from "@balcao/contract/role-permissions";
import { Checkbox, Switch, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useState } from "react";
import { useWatch } from "react-hook-form";
import { ApiError } from "../../api/client.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { NameField, nameRule } from "../../ui/dialogs/name-field.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { FieldGroup } from "../../ui/field-group.tsx";
import { errorText } from "../../ui/index.ts";
import { Pill } from "../../ui/marks.tsx";
import { matches } from "../../ui/matches.ts";
import { useSession } from "../auth/index.ts";
import type { RoleRow } from "./api.ts";
import { menuRows, saveRole } from "./api.ts";
import { ProfileChoice } from "./role-field.tsx";
import classes from "./roles.module.css";

type Values = { name: string; profile: Profile; permissions: RolePermission[] };
type Props = { role: RoleRow | null; onClose: () => void };

/** The matrix of a role: its name, its profile and what its users may do. A profile is shown and cannot be changed. */
export function RoleDialog({ role, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const isPreset = role !== null && role.usersCount === null;
  const { name = "" } = role ?? {};
  const { register, control, errors, setValue, dialog } = useRecordForm<Values, RoleRow>({
    id: role?.id ?? null,
    values: {
      name,
      profile: role?.profile ?? "user",
      permissions: role === null ? permissionsOfProfile("user") : [...role.permissions],
    },
    save: saveRole,
    savedText: t("roles.saved"),
    fieldErrors: { ERR_ROLE_EXISTS: "name" },
    textOf: (error) => failureText(t, error),
    onClose,
  });
  const [profile, permissions] = useWatch({ control, name: ["profile", "permissions"] });

  /** Keeps the choices so far as the difference from the other profile. */
  function rebase(next: Profile): void {
    const differences = differencesOf(profile, permissions);
    setValue("profile", next, { shouldDirty: true });
    setValue("permissions", permissionsOfRole({ profile: next, ...differences }), {
      shouldDirty: true,
    });
  }

  return (
    <FormDialog
      {...dialog}
      size={960}
      title={role === null ? t("roles.newTitle") : name}
      submitLabel={isPreset ? null : dialog.submitLabel}
    >
      {isPreset ? (
        <p className="bc-small">{t("roles.presetHelp")}</p>
      ) : (
        <NameField
          {...register(
            "name",
            nameRule(t("roles.nameRequired"), t("roles.nameShort"), limits.nameMin),
          )}
          label={t("roles.name")}
          maxLength={limits.nameMax}
          error={errors.name?.message}
        />
      )}
      {role === null ? (
        <ProfileChoice
          label={t("roles.basedOn")}
          help={t("roles.basedOnHelp")}
          value={profile}
          onChange={rebase}
        />
      ) : null}
      {role === null || isPreset ? null : (
        <p className="bc-small">
          {t("roles.basedOnSaid", { name: t(`shell.profiles.${profile}`) })}
        </p>
      )}
      <div className={classes["halves"]}>
        <Matrix
          profile={profile}
          value={permissions}
          onChange={
            isPreset ? null : (next) => setValue("permissions", next, { shouldDirty: true })
          }
        />
        <Preview permissions={permissions} />
      </div>
    </FormDialog>
  );
}

/** The texts of refusals that say which permissions they are about, or how many roles there may be. */
function failureText(t: TFunction, error: Error): string {
  if (!(error instanceof ApiError)) return errorText(t, error);
  const data: unknown = error.data;
  const hasData = typeof data === "object" && data !== null;
  if (error.code === "ERR_ROLE_LIMIT_REACHED" && hasData && "max" in data) {
    return t("roles.limitReached", { max: String(data.max) });
  }
  if (error.code !== "ERR_ROLE_BEYOND_OWN" || !hasData || !("permissions" in data)) {
    return errorText(t, error);
  }
  const missing = rolePermissions.filter(
    (one) => Array.isArray(data.permissions) && data.permissions.includes(one),
  );
  const names = missing.map((one) => t(`roles.permissions.${one}.title`)).join(", ");
  return t("roles.beyondOwn", { names });
}

const subjects = Object.keys(roleSubjects) as RoleSubject[]; // the keys of the table

type MatrixProps = {
  profile: Profile;
  value: readonly RolePermission[];
  /** Null: it is only read. */
  onChange: ((next: RolePermission[]) => void) | null;
};

/** Every permission with what it opens, by subject; searched, and narrowed to what differs from the profile. */
function Matrix({ profile, value, onChange }: MatrixProps): ReactNode {
  const { t } = useTranslation();
  const [words, setWords] = useState("");
  const [onlyDifferent, setOnlyDifferent] = useState(false);
  const preset = permissionsOfProfile(profile);
  const isDifferent = (one: RolePermission): boolean =>
    value.includes(one) !== preset.includes(one);
  const isShown = (one: RolePermission): boolean => {
    const { title, text } = wordsOf(t, one);
    return matches(`${title} ${text}`, words) && (!onlyDifferent || isDifferent(one));
  };
  const shown = subjects
    .map((subject) => ({ subject, rows: roleSubjects[subject].filter(isShown) }))
    .filter(({ rows }) => rows.length > 0);
  return (
    <div className={classes["matrix"]}>
      <div className={classes["tools"]}>
        <TextInput
          type="search"
          className={classes["search"] ?? ""}
          aria-label={t("roles.searchPermission")}
          placeholder={t("roles.searchPermission")}
          value={words}
          onChange={({ currentTarget }) => setWords(currentTarget.value)}
        />
        {onChange === null ? null : (
          <Switch
            label={t("roles.onlyDifferent")}
            checked={onlyDifferent}
            onChange={({ currentTarget }) => setOnlyDifferent(currentTarget.checked)}
          />
        )}
      </div>
      {shown.length === 0 ? (
        <p className="bc-small" role="status">
          {t(onlyDifferent && words === "" ? "roles.same" : "roles.noPermission")}
        </p>
      ) : null}
      {shown.map(({ subject, rows }) => (
        <FieldGroup key={subject} legend={t(`roles.subjects.${subject}`)}>
          {rows.map((one) => (
            <PermissionRow
              key={one}
              permission={one}
              isHeld={value.includes(one)}
              isDifferent={isDifferent(one)}
              onChange={
                onChange &&
                ((isHeld) =>
                  onChange(isHeld ? [...value, one] : value.filter((other) => other !== one)))
              }
            />
          ))}
        </FieldGroup>
      ))}
    </div>
  );
}

function wordsOf(t: TFunction, permission: RolePermission) {
  return {
    title: t(`roles.permissions.${permission}.title`),
    text: t(`roles.permissions.${permission}.text`),
  };
}

type RowProps = {
  permission: RolePermission;
  isHeld: boolean;
  isDifferent: boolean;
  onChange: ((isHeld: boolean) => void) | null;
};

/** One permission. What everybody has, and what the caller lacks, cannot be changed; the row says why. */
function PermissionRow({ permission, isHeld, isDifferent, onChange }: RowProps): ReactNode {
  const { t } = useTranslation();
  const { user, lacksPlan, holds } = useSession();
  const { title, text } = wordsOf(t, permission);
  const isBasic = !isGrantable(permission);
  const isBeyond = !user.super && !holds(permission) && !lacksPlan(permission);
  const notes = [
    ...(isBasic ? [t("roles.basic")] : []),
    ...(isBeyond && onChange !== null ? [t("roles.notYours")] : []),
    ...(lacksPlan(permission) ? [t("roles.noPlan")] : []),
  ];
  return (
    <Checkbox
      classNames={{ body: classes["row"] ?? "", input: classes["box"] ?? "" }}
      checked={isHeld}
      disabled={onChange === null || isBasic || isBeyond}
      onChange={({ currentTarget }) => onChange?.(currentTarget.checked)}
      label={
        <span className={classes["permission"]}>
          {title}
          {isDifferent ? (
            <Pill tone={isHeld ? "ok" : "warn"}>{t(isHeld ? "roles.added" : "roles.removed")}</Pill>
          ) : null}
        </span>
      }
      description={[text, ...notes].join(" ")}
    />
  );
}

/** The rows of the menu that users of the role see, as far as the plan has them. */
function Preview({ permissions }: Pick<Values, "permissions">): ReactNode {
  const { t } = useTranslation();
  const { lacksPlan } = useSession();
  const held: ReadonlySet<string> = new Set(permissions);
  const reached = menuRows.filter(
    ({ permission }) => held.has(permission) && !lacksPlan(permission),
  );
  const rows = reached.filter(({ tabOf }) => !reached.some(({ path }) => path === tabOf));
  return (
    <aside className={classes["preview"]} aria-label={t("roles.preview")}>
      <p className={classes["previewTitle"]}>{t("roles.preview")}</p>
      <ul className={classes["menu"]}>
        {rows.map(({ path, label }) => (
          <li key={path}>{t(label)}</li>
        ))}
      </ul>
    </aside>
  );
}
