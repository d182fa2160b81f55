import { useEffect } from "react";
import { useCompanyEvent } from "../../realtime/index.ts";
import { useServerDraft, windowId } from "./api.ts";
import type { DraftKeeper } from "./draft-keeper.ts";

type Props = { ticketId: number; keeper: DraftKeeper };

/** Brings in what the user's other windows write. It draws nothing, so the field is not drawn again for it. */
export function DraftFollower({ ticketId, keeper }: Props): null {
  const { data } = useServerDraft(ticketId);
  useEffect(() => {
    if (data) keeper.receive(data);
  }, [data, keeper]);
  useCompanyEvent("draft", ({ draft, clientId }) => {
    if (draft.ticketId === ticketId && clientId !== windowId) keeper.receive(draft);
  });
  useEffect(() => {
    const saveBeforeLeaving = (): void => {
      if (document.visibilityState === "hidden") keeper.flush({ keepalive: true });
    };
    const saveOnline = (): void => keeper.flush({ keepalive: false });
    document.addEventListener("visibilitychange", saveBeforeLeaving);
    window.addEventListener("online", saveOnline);
    return () => {
      document.removeEventListener("visibilitychange", saveBeforeLeaving);
      window.removeEventListener("online", saveOnline);
      keeper.flush({ keepalive: false });
    };
  }, [keeper]);
  return null;
}
