import { Button } from "@mantine/core";
import { IconDeviceFloppy } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { EmptyState } from "../../ui/index.ts";

type Props = { text: string; isBusy: boolean; onSave: () => void };

/** What of a queue needs it to be there. */
export function SaveFirst({ text, isBusy, onSave }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <EmptyState
      icon={IconDeviceFloppy}
      title={t("queues.saveFirst")}
      text={text}
      action={
        <Button loading={isBusy} onClick={onSave}>
          {t("queues.saveAndGoOn")}
        </Button>
      }
    />
  );
}
