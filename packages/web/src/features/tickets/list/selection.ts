import { createStore, useStore } from "../../../store/index.ts";

/** The tickets that the user has chosen to change together, and the last one, from which a range starts. */
type Selection = Readonly<{ ids: ReadonlySet<number>; lastId: number | null }>;

const nothing: Selection = { ids: new Set(), lastId: null };
const selection = createStore(nothing);

export function useSelection(): ReadonlySet<number> {
  return useStore(selection).ids;
}

export function clearSelection(): void {
  selection.set(nothing);
}

/** Makes these the chosen tickets. */
export function selectOnly(ids: readonly number[]): void {
  selection.set({ ids: new Set(ids), lastId: ids.at(-1) ?? null });
}

/** Chooses a ticket of the list, or no longer; `isRange` chooses all from the last chosen one to it. */
export function toggleSelected(
  listed: readonly { id: number }[],
  id: number,
  isRange: boolean,
): void {
  const { ids, lastId } = selection.get();
  const next = new Set(ids);
  const places = [lastId, id].map((wanted) => listed.findIndex((ticket) => ticket.id === wanted));
  const [from = -1, to = -1] = places.sort((a, b) => a - b);
  if (isRange && from !== -1) {
    for (const ticket of listed.slice(from, to + 1)) next.add(ticket.id);
  } else if (!next.delete(id)) next.add(id);
  selection.set({ ids: next, lastId: id });
}
