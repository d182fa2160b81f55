import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useSession } from "../auth/index.ts";
import { UserForm } from "./user-form.tsx";

/** One's own name, e-mail and password; admins also decide here what they may do. */
export function ProfileDialog({ onClose }: { onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  const { user } = useSession();
  return (
    <UserForm
      title={t("shell.profile")}
      user={user}
      savedText={t("users.profileSaved")}
      onClose={onClose}
    />
  );
}
