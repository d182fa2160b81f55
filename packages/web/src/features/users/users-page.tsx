import type { Colleague } from "@balcao/contract";
import { Button } from "@mantine/core";
import { IconPencil, IconTrash, IconUsers } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import { ListPage } from "../../ui/page/page.tsx";
import { RecordTable } from "../../ui/page/record-table.tsx";
import { useSession } from "../auth/index.ts";
import { useUserPages } from "./api.ts";
import { UserName, UserQueues } from "./user-cells.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";

const UserDialog = lazyPart(async () => (await import("./user-dialog.tsx")).UserDialog, "over");
const RemovalQuestion = lazyPart(
  async () => (await import("./removal-question.tsx")).RemovalQuestion,
  "over",
);

/** The people of the company, and what they may do. */
export function UsersPage(): ReactNode {
  const { t } = useTranslation();
  const { user: self } = useSession();
  const [words, setWords] = useState("");
  const [edited, setEdited] = useState<Colleague | "new" | null>(null);
  const [removed, setRemoved] = useState<Colleague | null>(null);
  const pages = useUserPages(words);
  const add = (): void => setEdited("new");
  return (
    <ListPage
      title={t("users.title")}
      count={pages.rows ? pages.count : null}
      searchLabel={t("users.search")}
      onSearch={setWords}
      addLabel={t("users.add")}
      onAdd={add}
    >
      <RecordTable
        label={t("users.title")}
        pages={pages}
        identify={({ id }) => id}
        columns={[
          {
            title: t("users.name"),
            renderCell: (user) => <UserName user={user} isSelf={user.id === self.id} />,
            isName: true,
          },
          { title: t("users.email"), renderCell: ({ email }) => email },
          {
            title: t("users.profile"),
            renderCell: ({ profile }) => t(`shell.profiles.${profile}`),
          },
          {
            title: t("users.queues"),
            renderCell: ({ queues }) => <UserQueues queues={queues} />,
          },
        ]}
        renderActions={(user) => (
          <>
            <IconButton
              label={t("users.edit", { name: user.name })}
              icon={IconPencil}
              onClick={() => setEdited(user)}
            />
            {user.id === self.id ? null : (
              <IconButton
                label={t("users.delete", { name: user.name })}
                icon={IconTrash}
                onClick={() => setRemoved(user)}
              />
            )}
          </>
        )}
        empty={
          words === ""
            ? {
                icon: IconUsers,
                title: t("users.emptyTitle"),
                text: t("users.emptyText"),
                action: <Button onClick={add}>{t("users.add")}</Button>,
              }
            : { icon: IconUsers, title: t("users.noMatch", { words }) }
        }
      />
      <Suspense fallback={null}>
        {edited === null ? null : (
          <UserDialog user={edited === "new" ? null : edited} onClose={() => setEdited(null)} />
        )}
        {removed === null ? null : (
          <RemovalQuestion user={removed} onClose={() => setRemoved(null)} />
        )}
      </Suspense>
    </ListPage>
  );
}
