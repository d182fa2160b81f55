import type { Colleague } from "@balcao/contract";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { ActionQuestion } from "../../ui/dialogs/question-dialog.tsx";
import { errorText, ListSkeleton, notifySuccess } from "../../ui/index.ts";
import { useSession } from "../auth/index.ts";
import { deleteUser, useEditableUser, useOpenTickets } from "./api.ts";
import { UserForm } from "./user-form.tsx";

type Props<User> = { user: User; onClose: () => void };

/** The settings of a user, read from the server when the dialog opens. A null user is a new one. */
export function UserDialog({ user, onClose }: Props<Named | null>): ReactNode {
  const { t } = useTranslation();
  if (user !== null) return <Editing user={user} onClose={onClose} />;
  return (
    <UserForm
      title={t("users.newTitle")}
      user={null}
      savedText={t("users.added")}
      onClose={onClose}
    />
  );
}

type Named = Pick<Colleague, "id" | "name">;

function Editing({ user, onClose }: Props<Named>): ReactNode {
  const { t } = useTranslation();
  const { data, error } = useEditableUser(user.id);
  const title = t("common.edit", { name: user.name });
  if (data) {
    return <UserForm title={title} user={data} savedText={t("users.saved")} onClose={onClose} />;
  }
  return (
    <FormDialog
      title={title}
      size={640}
      submitLabel={null}
      isBusy={false}
      error={error === null ? null : errorText(t, error)}
      onSubmit={(event) => event.preventDefault()}
      onClose={onClose}
    >
      {error === null ? <ListSkeleton /> : null}
    </FormDialog>
  );
}

/** The signed-in user's name, e-mail and password; admins also set their rights here. */
export function ProfileDialog({ onClose }: { onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  return (
    <UserForm
      title={t("shell.profile")}
      user={useSession().user}
      savedText={t("users.profileSaved")}
      onClose={onClose}
    />
  );
}

/** Asks before a user is deleted and says what happens to the user's tickets. */
export function RemovalQuestion({ user: { id, name }, onClose }: Props<Named>): ReactNode {
  const { t } = useTranslation();
  const { data: openTickets, error, isPending } = useOpenTickets(id);
  const tickets =
    openTickets === undefined ? "" : `${t("users.deleteTickets", { count: openTickets })} `;
  return (
    <ActionQuestion
      isDestructive
      title={t("users.deleteTitle", { name })}
      text={`${tickets}${t("users.deleteText")}`}
      confirm={t("common.deleteConfirm")}
      isReading={isPending}
      readError={error}
      run={() => deleteUser(id)}
      onDone={() => notifySuccess(t("users.deleted"))}
      onClose={onClose}
    />
  );
}
