import { NativeSelect } from "@mantine/core";
import { IconShieldLock } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "../../i18n/index.ts";
import { notifySuccess } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { matches } from "../../ui/matches.ts";
import { ActionQuestion, RecordPage, useListAddress } from "../../ui/page/record-page.tsx";
import { RowName } from "../../ui/page/record-table.tsx";
import type { RoleRow } from "./api.ts";
import { deleteRole, differenceOf, presets, roleList } from "./api.ts";
import { UserTabs } from "./user-tabs.tsx";

const RoleDialog = lazyPart(
  async () => (await import("./role-dialog.tsx")).RoleDialog,
  "over",
  "trust",
);

/** The profiles, which are read only, and below them the company's own roles. */
export function RolesPanel(): ReactNode {
  const { t } = useTranslation();
  const address = useListAddress({ tab: "roles" });
  const own = roleList.usePages(address.words, ({ name }) => name);
  const profiles = presets((profile) => t(`shell.profiles.${profile}`));
  const shown = profiles.filter(({ name }) => matches(name, address.words));
  const rows = own.rows && [...shown, ...own.rows];
  return (
    <RecordPage<RoleRow>
      texts="roles"
      icon={IconShieldLock}
      address={address}
      pages={{ ...own, rows, count: shown.length + own.count }}
      filters={<UserTabs tab="roles" />}
      nameOf={({ name }) => name}
      columns={[
        {
          id: "name",
          title: t("roles.name"),
          renderCell: ({ name }) => <RowName name={name} />,
          sortBy: ({ name }) => name,
          isName: true,
        },
        {
          id: "profile",
          fit: "content",
          title: t("roles.basedOn"),
          renderCell: ({ usersCount, profile }) =>
            usersCount === null ? t("roles.ofSystem") : t(`shell.profiles.${profile}`),
          sortBy: ({ usersCount, profile }) => (usersCount === null ? "" : profile),
        },
        {
          id: "difference",
          title: t("roles.difference"),
          renderCell: (row) => <Difference row={row} />,
        },
        {
          id: "users",
          fit: "content",
          align: "end",
          title: t("roles.users"),
          renderCell: ({ usersCount }) =>
            usersCount === null ? null : t("roles.usersCount", { count: usersCount }),
          sortBy: ({ usersCount }) => usersCount,
        },
      ]}
      mayDelete={({ usersCount }) => usersCount !== null}
      renderForm={(role, onClose) => <RoleDialog role={role} onClose={onClose} />}
      renderRemoval={(role, onClose) => (
        <Suspense fallback={null}>
          <RoleRemoval role={role} onClose={onClose} />
        </Suspense>
      )}
    />
  );
}

function Difference({ row }: { row: RoleRow }): ReactNode {
  const { t } = useTranslation();
  if (row.usersCount === null) return null;
  const { more, less } = differenceOf(row);
  const words = [
    ...(more === 0 ? [] : [t("roles.more", { count: more })]),
    ...(less === 0 ? [] : [t("roles.less", { count: less })]),
  ];
  return words.length === 0 ? t("roles.same") : words.join(", ");
}

/** Asks what the users of a role get instead. */
function RoleRemoval({ role, onClose }: { role: RoleRow; onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  const { data: known = [] } = useQuery(roleList.query);
  const [to, setTo] = useState("profile");
  const count = role.usersCount ?? 0;
  const others = known.filter(({ id, profile }) => id !== role.id && profile === role.profile);
  return (
    <ActionQuestion
      isDestructive
      title={t("roles.deleteTitle", { name: role.name })}
      text={t("roles.deleteUsers", { count })}
      confirm={t("common.deleteConfirm")}
      run={() => deleteRole(role.id, to)}
      onDone={() => notifySuccess(t("roles.deleted"))}
      onClose={onClose}
    >
      {count === 0 ? null : (
        <NativeSelect
          label={t("roles.moveTo")}
          value={to}
          onChange={({ currentTarget: { value } }) => setTo(value)}
          data={[
            { value: "profile", label: t(`shell.profiles.${role.profile}`) },
            ...others.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
        />
      )}
    </ActionQuestion>
  );
}
