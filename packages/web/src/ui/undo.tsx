import type { ReactNode } from "react";
import { Suspense } from "react";
import { withTexts } from "../i18n/index.ts";
import { createStore, useStore } from "../store/index.ts";
import { lazyPart } from "./lazy-part.tsx";
import type { UndoOffer } from "./undo-bar.tsx";

export type { UndoOffer } from "./undo-bar.tsx";

/** How long a user can undo a change, on the screen. */
const UNDO_SHOWN_SECONDS = 6;
/** The server is asked for a second more: the reply and the request to undo are on their way that long at most. */
export const UNDO_ASKED_SECONDS = UNDO_SHOWN_SECONDS + 1;

/** The newest change; an older one can be undone no longer. */
export const undoOffer = createStore<(UndoOffer & { id: number }) | null>(null);
let offers = 0;

const loadBar = () => import("./undo-bar.tsx");
const UndoBar = lazyPart(async () => (await loadBar()).UndoBar);

/** Offers to undo a change that the server has made already. */
export function offerUndo(offer: UndoOffer): void {
  withTexts("later", loadBar())
    .then(() => undoOffer.set({ ...offer, id: ++offers }))
    .catch(reportError);
}

/** The place of the offer, at the foot of the page; mounted once, in the shell. */
export function UndoPlace(): ReactNode {
  const offer = useStore(undoOffer);
  if (offer === null) return null;
  return (
    <Suspense fallback={null}>
      <UndoBar
        key={offer.id}
        offer={offer}
        seconds={UNDO_SHOWN_SECONDS}
        onEnd={() => undoOffer.get()?.id === offer.id && undoOffer.set(null)}
      />
    </Suspense>
  );
}
