import type { ReactNode } from "react";
import { Suspense, useEffect } from "react";
import { useSession } from "../../features/auth/index.ts";
import { countUnsent } from "../../features/messages/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { createStore, useStore } from "../../store/index.ts";
import { notifyError } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";

const QuestionDialog = lazyPart(
  async () => (await import("../../ui/dialogs/question-dialog.tsx")).QuestionDialog,
  "over",
);

/** The unsent messages that the question is about; 0 while nothing is asked. */
const asksAbout = createStore(0);

/** Signs out; asks first when that discards messages that have not left this browser. */
export function useSignOut(): () => void {
  const { logout } = useSession();
  return () => {
    countUnsent()
      .then((count) => {
        if (count > 0) asksAbout.set(count);
        else void logout();
      })
      .catch(notifyError);
  };
}

/** Where the question stands: above the menus that ask it, which close. */
export function SignOutHost(): ReactNode {
  const { t } = useTranslation();
  const { logout } = useSession();
  const count = useStore(asksAbout);
  useEffect(() => () => asksAbout.set(0), []);
  if (count === 0) return null;
  return (
    <Suspense fallback={null}>
      <QuestionDialog
        opened
        isDestructive
        title={t("signOut.title")}
        text={t("signOut.text", { count })}
        confirm={t("signOut.confirm")}
        onConfirm={() => void logout()}
        onClose={() => asksAbout.set(0)}
      />
    </Suspense>
  );
}
