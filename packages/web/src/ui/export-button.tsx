import type { SheetFormat } from "@balcao/contract";
import { IconDownload } from "@tabler/icons-react";
import type { ComponentProps, ReactNode } from "react";
import { useTranslation } from "../i18n/index.ts";
import { Button } from "./button.tsx";
import { IconButton } from "./icon-button.tsx";
import { lazyPart } from "./lazy-part.tsx";
import { OnDemand } from "./on-demand.tsx";

const ExportChoices = lazyPart(async () => (await import("./choices.tsx")).ExportChoices);

type Props = {
  /** Rows that the file will have. Absent where it is no list. */
  count?: number | undefined;
  save: (format: SheetFormat) => Promise<void>;
  /** With its name beside the icon. */
  isNamed?: boolean;
  disabled?: boolean;
};

/** Saves rows as a spreadsheet, after asking for its kind. */
export function ExportButton({ count, save, isNamed = false, disabled = false }: Props): ReactNode {
  return (
    <OnDemand
      part={ExportChoices}
      standIn={
        <Target isNamed={isNamed} disabled={disabled} aria-haspopup="menu" aria-expanded={false} />
      }
    >
      <ExportChoices
        count={count}
        save={save}
        target={<Target isNamed={isNamed} disabled={disabled} />}
      />
    </OnDemand>
  );
}

/** The props of a menu's button. */
type TargetProps = Pick<ComponentProps<"button">, "ref" | "disabled" | "onClick"> & {
  isNamed: boolean;
};

function Target({ isNamed, ...rest }: TargetProps): ReactNode {
  const { t } = useTranslation();
  const label = t("common.export.open");
  if (!isNamed) return <IconButton {...rest} label={label} icon={IconDownload} />;
  return (
    <Button
      {...rest}
      variant="default"
      leftSection={<IconDownload size={15} stroke={1.7} aria-hidden="true" />}
    >
      {label}
    </Button>
  );
}
