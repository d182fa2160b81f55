import { IconLanguage } from "@tabler/icons-react";
import type { ComponentProps, ReactNode } from "react";
import { useTranslation } from "../i18n/index.ts";
import { IconButton } from "./icon-button.tsx";
import { lazyPart } from "./lazy-part.tsx";
import { OnDemand } from "./on-demand.tsx";

const LanguageChoices = lazyPart(async () => (await import("./choices.tsx")).LanguageChoices);

/** Chooses the language of the product. */
export function LanguageMenu(): ReactNode {
  return (
    <OnDemand
      part={LanguageChoices}
      standIn={<Target aria-haspopup="menu" aria-expanded={false} />}
    >
      <LanguageChoices target={<Target />} />
    </OnDemand>
  );
}

type TargetProps = Omit<ComponentProps<typeof IconButton>, "label" | "icon">;

function Target(props: TargetProps): ReactNode {
  const { t } = useTranslation();
  return <IconButton {...props} label={t("shell.language")} icon={IconLanguage} />;
}
