import { useEffect, useRef } from "react";
import type { ComposerTarget } from "../messages/index.ts";
import type { ComposerText } from "./use-composer-text.ts";

/** Keeps what is answered with the draft; and whoever points at a message wants to write about it now. */
export function useFollowTarget(
  target: ComposerTarget | null,
  { keeper, fieldRef }: Pick<ComposerText, "keeper" | "fieldRef">,
): void {
  const beforeRef = useRef(target);
  useEffect(() => {
    const before = beforeRef.current;
    beforeRef.current = target;
    if (target === null) {
      if (before?.kind === "reply") keeper.write({ ...keeper.content(), quotedMsgId: null });
      return;
    }
    if (target.kind === "reply") {
      const isRestored = keeper.content().quotedMsgId === target.message.id;
      if (isRestored) return;
      keeper.write({ ...keeper.content(), quotedMsgId: target.message.id });
    }
    const field = fieldRef.current;
    field?.focus({ preventScroll: true });
    field?.setSelectionRange(field.value.length, field.value.length);
  }, [target, keeper, fieldRef]);
}
