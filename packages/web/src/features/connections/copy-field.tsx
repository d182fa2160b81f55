import { TextInput } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { copyText } from "../../ui/copy-text.ts";
import { IconButton, notifyError, notifySuccess } from "../../ui/index.ts";

type Props = { label: string; copyLabel: string; value: string };

/** A text to take elsewhere. */
export function CopyField({ label, copyLabel, value }: Props): ReactNode {
  const { t } = useTranslation();

  async function copy(): Promise<void> {
    try {
      await copyText(value);
      notifySuccess(t("connections.cloud.copied"));
    } catch {
      notifyError(t("connections.cloud.copyFailed"));
    }
  }

  return (
    <TextInput
      label={label}
      value={value}
      readOnly
      onFocus={(event) => event.currentTarget.select()}
      rightSection={
        <IconButton size="small" icon={IconCopy} label={copyLabel} onClick={() => void copy()} />
      }
      rightSectionWidth={40}
      rightSectionPointerEvents="all"
    />
  );
}
