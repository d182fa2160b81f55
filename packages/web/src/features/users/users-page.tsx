import type { Colleague, ListedUser } from "@balcao/contract";
import { IconUsers } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useSearchParams } from "../../router/index.tsx";
import { QueueDot } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { RecordPage, useListAddress } from "../../ui/page/record-page.tsx";
import { RowName } from "../../ui/page/record-table.tsx";
import { useSession } from "../auth/index.ts";
import { RolesPanel, UserTabs } from "../roles/index.ts";
import { userPages } from "./api.ts";
import classes from "./users-page.module.css";

const UserDialog = lazyPart(async () => (await import("./user-dialog.tsx")).UserDialog, "over");
const RemovalQuestion = lazyPart(
  async () => (await import("./user-dialog.tsx")).RemovalQuestion,
  "over",
);

/** The users of the company, and in a second tab the roles that they can have. */
export function UsersPage(): ReactNode {
  const [search] = useSearchParams();
  const { can } = useSession();
  return search.get("tab") === "roles" && can("roles:manage") ? <RolesPanel /> : <UserList />;
}

/** The users of the company and their rights. */
function UserList(): ReactNode {
  const { t } = useTranslation();
  const address = useListAddress();
  const nameOfRole = ({ role, profile }: ListedUser): string =>
    role?.name ?? t(`shell.profiles.${profile}`);
  const { user: self, can } = useSession();
  return (
    <RecordPage
      texts="users"
      icon={IconUsers}
      address={address}
      pages={userPages.usePages(address.words)}
      filters={can("roles:manage") ? <UserTabs tab="users" /> : null}
      nameOf={({ name }) => name}
      columns={[
        {
          id: "name",
          title: t("users.name"),
          renderCell: (user) => <UserName user={user} isSelf={user.id === self.id} />,
          sortBy: ({ name }) => name,
          isName: true,
        },
        {
          id: "email",
          title: t("users.email"),
          renderCell: ({ email }) => email,
          sortBy: ({ email }) => email ?? null,
        },
        {
          id: "profile",
          fit: "content",
          title: t("users.profile"),
          renderCell: nameOfRole,
          sortBy: nameOfRole,
        },
        {
          id: "queues",
          title: t("users.queues"),
          renderCell: ({ queues }) => <UserQueues queues={queues} />,
        },
      ]}
      mayDelete={({ id }) => id !== self.id}
      renderForm={(user, onClose) => <UserDialog user={user} onClose={onClose} />}
      renderRemoval={(user, onClose) => <RemovalQuestion user={user} onClose={onClose} />}
    />
  );
}

/** A user's name and presence, and a mark on the signed-in user. */
function UserName({ user, isSelf }: { user: Colleague; isSelf: boolean }): ReactNode {
  const { t } = useTranslation();
  const state = t(user.online ? "users.online" : "users.offline");
  return (
    <RowName
      name={user.name}
      before={
        <span
          className={classes["presence"]}
          data-online={user.online || undefined}
          role="img"
          aria-label={state}
          title={state}
        />
      }
      after={isSelf ? <span className={classes["self"]}>{t("users.self")}</span> : null}
    />
  );
}

/** Queues that fit in a row; the others are counted. */
const QUEUES_SHOWN = 3;

/** The queues of a user by colour and name. */
function UserQueues({ queues }: Pick<Colleague, "queues">): ReactNode {
  const { t } = useTranslation();
  if (queues.length === 0) return t("users.inNoQueue");
  const hidden = queues.slice(QUEUES_SHOWN);
  return (
    <span className={classes["queues"]}>
      {queues.slice(0, QUEUES_SHOWN).map(({ id, name, color }) => (
        <span key={id} className={classes["queue"]}>
          <QueueDot color={color} />
          {name}
        </span>
      ))}
      {hidden.length === 0 ? null : (
        <span title={hidden.map(({ name }) => name).join(", ")}>
          {t("users.moreQueues", { count: hidden.length })}
        </span>
      )}
    </span>
  );
}
