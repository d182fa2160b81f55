import type { ReactNode } from "react";
import { useEffect, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useNavigate } from "../../router/index.tsx";
import { QuestionDialog } from "../../ui/dialogs/question-dialog.tsx";

type Props = {
  /** There are changes that would be lost. */
  isAsked: boolean;
  onLeave: () => void;
};

/** Asks before a link leads away from unsaved changes. */
export function LeaveQuestion({ isAsked, onLeave }: Props): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [target, setTarget] = useState<string | null>(null);
  useEffect(() => {
    if (!isAsked) return undefined;
    function ask(event: MouseEvent): void {
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      const isPlain = !(event.metaKey || event.altKey || event.ctrlKey || event.shiftKey);
      if (link === null || !isPlain || link.target !== "" || link.origin !== location.origin) {
        return;
      }
      if (link.pathname === location.pathname) return;
      event.preventDefault();
      setTarget(link.pathname + link.search);
    }
    document.addEventListener("click", ask, { capture: true });
    return () => document.removeEventListener("click", ask, { capture: true });
  }, [isAsked]);
  return (
    <QuestionDialog
      opened={target !== null}
      isDestructive
      title={t("campaignConfig.leave.title")}
      text={t("campaignConfig.leave.text")}
      confirm={t("campaignConfig.leave.confirm")}
      onConfirm={() => {
        onLeave();
        setTarget(null);
        if (target !== null) navigate(target);
      }}
      onClose={() => setTarget(null)}
    />
  );
}
