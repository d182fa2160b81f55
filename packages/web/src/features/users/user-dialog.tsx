import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { errorText, ListSkeleton } from "../../ui/index.ts";
import { useEditableUser } from "./api.ts";
import { UserForm } from "./user-form.tsx";

type Props = {
  /** Null: a new one. */
  user: { id: number; name: string } | null;
  onClose: () => void;
};

/** Everything that is set of a user, as the server has it when the dialog is opened. */
export function UserDialog({ user, onClose }: Props): ReactNode {
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

type EditingProps = { user: { id: number; name: string }; onClose: () => void };

function Editing({ user, onClose }: EditingProps): ReactNode {
  const { t } = useTranslation();
  const { data, error } = useEditableUser(user.id);
  const title = t("users.editTitle", { name: user.name });
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
