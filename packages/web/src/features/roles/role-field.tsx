import type { Profile } from "@balcao/contract/permissions";
import { profiles } from "@balcao/contract/permissions";
import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useId } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { errorText } from "../../ui/index.ts";
import { Segmented } from "../../ui/segmented.tsx";
import { roleList } from "./api.ts";
import classes from "./roles.module.css";

type Props = {
  profile: Profile;
  /** Null: the permissions of the profile. */
  roleId: number | null;
  /** A known user has another profile now, which ends the user's session. */
  isOtherProfile: boolean;
  onChange: (profile: Profile, roleId: number | null) => void;
};

/** Chooses a profile or, where the company has some, one of its own roles. */
export function RoleField({ profile, roleId, isOtherProfile, onChange }: Props): ReactNode {
  const { t } = useTranslation();
  const { data: roles, error } = useQuery(roleList.query);
  const role = roles?.find(({ id }) => id === roleId);
  const help = role
    ? t("roles.fieldHelp", { name: t(`shell.profiles.${role.profile}`) })
    : t(`roles.profileHelp.${profile}`);
  const description = `${help}${isOtherProfile ? ` ${t("roles.signsInAgain")}` : ""}`;
  const labels = profiles.map((value) => ({ value, label: t(`shell.profiles.${value}`) }));
  if (roles === undefined) {
    // Before the roles are known, a choice of a profile would take the user's role away.
    return (
      <NativeSelect
        disabled
        label={t("roles.field")}
        description={description}
        error={error === null ? undefined : errorText(t, error)}
        value={roleId === null ? profile : ""}
        data={[{ value: "", label: "…" }, ...labels]}
      />
    );
  }
  if (roles.length === 0) {
    return (
      <ProfileChoice
        label={t("roles.field")}
        help={description}
        value={profile}
        onChange={(next) => onChange(next, null)}
      />
    );
  }
  return (
    <NativeSelect
      label={t("roles.field")}
      description={description}
      value={roleId === null ? profile : String(roleId)}
      onChange={({ currentTarget: { value } }) => {
        const chosen = roles.find(({ id }) => String(id) === value);
        const preset = profiles.find((one) => one === value) ?? profile;
        if (chosen) onChange(chosen.profile, chosen.id);
        else onChange(preset, null);
      }}
      data={[
        {
          group: t("roles.ofSystem"),
          items: labels,
        },
        {
          group: t("roles.ofCompany"),
          items: roles.map(({ id, name }) => ({ value: String(id), label: name })),
        },
      ]}
    />
  );
}

type ChoiceProps = {
  label: string;
  help: string;
  value: Profile;
  onChange: (next: Profile) => void;
};

/** One of the three profiles. */
export function ProfileChoice({ label, help, value, onChange }: ChoiceProps): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  return (
    <div className={classes["field"]}>
      <span id={`${id}label`} className={classes["label"]}>
        {label}
      </span>
      <Segmented
        value={value}
        choices={profiles.map((one) => ({ value: one, label: t(`shell.profiles.${one}`) }))}
        onChange={onChange}
        aria-labelledby={`${id}label`}
        aria-describedby={`${id}help`}
      />
      <span id={`${id}help`} className="bc-meta">
        {help}
      </span>
    </div>
  );
}
