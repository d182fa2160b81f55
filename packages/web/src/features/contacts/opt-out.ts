import { notifyError } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { offerUndo } from "../../ui/undo.tsx";
import { setOptOut } from "./api.ts";

/** Asks before a contact that opted out gets messages again. */
export const EndOptOutQuestion = lazyPart(
  async () => (await import("./end-opt-out.tsx")).EndOptOutQuestion,
  "over",
);

/** Leaves a contact out of campaigns and scheduled messages, and offers to undo it. */
export function stopSending({ id, name }: { id: number; name: string }): void {
  setOptOut(id, true)
    .then(() => offerUndo({ kind: "optedOut", name, undo: () => setOptOut(id, false) }))
    .catch(notifyError);
}
