import type { MessageTemplate } from "@balcao/contract";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import { TemplateForm } from "./template-form.tsx";
import { TemplateList } from "./template-list.tsx";

type Props = {
  ticketId: number;
  connectionId: number;
  customerName: string;
  onClose: () => void;
};

/** Chooses an approved text, fills its places and sends it. Mount it to open it. */
export function TemplateDialog({
  ticketId,
  connectionId,
  customerName,
  onClose,
}: Props): ReactNode {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<MessageTemplate | null>(null);
  return (
    <DialogFrame
      opened
      size={640}
      onClose={onClose}
      title={t("templates.title", { name: customerName })}
    >
      {chosen === null ? (
        <TemplateList connectionId={connectionId} onChoose={setChosen} />
      ) : (
        <TemplateForm
          ticketId={ticketId}
          template={chosen}
          onBack={() => setChosen(null)}
          onSent={onClose}
        />
      )}
    </DialogFrame>
  );
}
