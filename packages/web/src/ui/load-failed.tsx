import { Button } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../i18n/index.ts";
import { EmptyState } from "./empty-state.tsx";
import { errorText } from "./error-text.ts";

type Props = { icon: Icon; error: Error | null; onRetry: () => void };

/** Stands where data would, which could not be had: why, and a way to try again (ui.md, Empty). */
export function LoadFailed({ icon, error, onRetry }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <EmptyState
      icon={icon}
      title={t("common.loadFailedTitle")}
      text={errorText(t, error)}
      action={
        <Button variant="default" onClick={onRetry}>
          {t("common.retry")}
        </Button>
      }
    />
  );
}
