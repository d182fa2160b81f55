import type { ReactNode } from "react";
import { Suspense } from "react";
import { useAiOffer } from "../../realtime/ai-offer.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { useIsTouched } from "../../ui/use-is-touched.ts";
import { useSession } from "../auth/index.ts";
import type { ComposerHelpProps } from "./composer-help.tsx";

const ComposerHelp = lazyPart(
  async () => (await import("./composer-help.tsx")).ComposerHelp,
  "inline",
  "rare",
);

type Props = ComposerHelpProps & {
  /** Nothing can be sent now. The offer is read all the same, for messages and the transfer. */
  isDisabled: boolean;
};

/** Asks what is offered once somebody works here, and before any more code is loaded. */
export function OfferedHelp({ isDisabled, ...props }: Props): ReactNode {
  const { can } = useSession();
  const isTouched = useIsTouched();
  const { helps } = useAiOffer(isTouched && can("ai-help:use"));
  if (!helps || isDisabled) return null;
  return (
    <Suspense fallback={null}>
      <ComposerHelp {...props} />
    </Suspense>
  );
}
