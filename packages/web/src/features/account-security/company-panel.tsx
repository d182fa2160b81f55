import "@mantine/core/styles/InlineInput.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import { permissionsOfProfile } from "@balcao/contract/role-permissions";
import { Switch } from "@mantine/core";
import { IconSettings } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ComponentType, ReactNode } from "react";
import { useId } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { EmptyState, errorText } from "../../ui/index.ts";
import { matches } from "../../ui/matches.ts";
import { useSession } from "../auth/index.ts";
import { useSetting } from "../settings/index.ts";
import { saveDemand } from "./api.ts";
import classes from "./account-security.module.css";

const demands = [
  { key: "secondFactor", on: "required", off: "optional" },
  { key: "severalSessions", on: "enabled", off: "disabled" },
  { key: "newDeviceMail", on: "enabled", off: "disabled" },
] as const;

type Props = {
  onSaved: () => void;
  /** Only demands that have these words, in a section of their own; absent: all. */
  words?: string;
  frame?: ComponentType<{ title: string; text: string; children: ReactNode }>;
  /** The search has found nothing else. */
  isRestEmpty?: boolean;
};

/** The demands of the company on a sign-in. A change applies at once, for all users. */
export function CompanySecurity({
  onSaved,
  words = "",
  frame: Frame,
  isRestEmpty = false,
}: Props): ReactNode {
  const { t } = useTranslation();
  const { user, holds, lacksPlan } = useSession();
  // As the server: the provider's visitors and users with a smaller role do not change how people sign in.
  const mayChange =
    user.super || permissionsOfProfile("admin").every((one) => holds(one) || lacksPlan(one));
  const found = demands.filter(({ key }) =>
    matches(`${t(`security.demands.${key}.label`)} ${t(`security.demands.${key}.help`)}`, words),
  );
  if (found.length === 0) {
    return isRestEmpty ? (
      <EmptyState icon={IconSettings} title={t("common.noMatch", { words })} />
    ) : null;
  }
  const rows = (
    <>
      {found.map((demand) => (
        <Demand key={demand.key} demand={demand} mayChange={mayChange} onSaved={onSaved} />
      ))}
      {mayChange ? null : <p className={classes["about"]}>{t("security.demandsOfAdmins")}</p>}
    </>
  );
  return Frame === undefined ? (
    rows
  ) : (
    <Frame title={t("settings.groups.security")} text={t("settings.about.security")}>
      {rows}
    </Frame>
  );
}

type DemandProps = {
  demand: (typeof demands)[number];
  mayChange: boolean;
  onSaved: () => void;
};

function Demand({ demand: { key, on, off }, mayChange, onSaved }: DemandProps): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  const stored = useSetting(key);
  const change = useMutation({
    mutationFn: (value: string) => saveDemand(key, value),
    onSuccess: onSaved,
  });
  // The live event brings the stored value.
  const value = change.isPending ? change.variables : stored;
  return (
    <div className={classes["demand"]}>
      <div>
        <label className={classes["name"]} id={`${id}-label`} htmlFor={id}>
          {t(`security.demands.${key}.label`)}
        </label>
        <p className={classes["about"]} id={`${id}-help`}>
          {t(`security.demands.${key}.help`)}
        </p>
        {change.error === null ? null : (
          <p className="bc-failure" role="alert">
            {errorText(t, change.error)}
          </p>
        )}
      </div>
      <Switch
        id={id}
        aria-labelledby={`${id}-label`}
        aria-describedby={`${id}-help`}
        checked={value === on}
        disabled={!mayChange || change.isPending}
        onChange={({ currentTarget }) => change.mutate(currentTarget.checked ? on : off)}
      />
    </div>
  );
}
