import type { UndoOffer } from "./undo.tsx";
import { offerUndo } from "./undo.tsx";

type Deletion<Row> = Pick<UndoOffer, "kind" | "name"> & {
  id: number;
  remove: () => Promise<unknown>;
  /** Undoes it on the server. */
  restore: () => Promise<Row>;
  /** Shows each of the two, for every screen. */
  apply: (change: { removedId: number } | { row: Row }) => void;
};

/** Deletes a record and offers to undo that. Throws if the server refuses. */
export async function deleteWithUndo<Row>(deletion: Deletion<Row>): Promise<void> {
  const { id, remove, restore, apply, ...named } = deletion;
  await remove();
  apply({ removedId: id });
  offerUndo({ ...named, undo: async () => apply({ row: await restore() }) });
}
