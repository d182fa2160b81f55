import type { KeyboardEvent, PointerEvent } from "react";
import { useRef, useState } from "react";

/** Where a dragged option would land: before or after another one of its level. */
type Landing = { id: number; side: "before" | "after" };

type Drag = { id: number; pointerId: number; ids: readonly number[]; level: HTMLElement };

/**
 * Takes an option to another place of its level with the pointer. Rows are found by `data-option`, directly below the
 * list in which they stand. Escape leaves everything as it is.
 */
export function useLevelDrag(onMove: (id: number, toIndex: number) => void) {
  const drag = useRef<Drag | null>(null);
  const [draggedId, setDraggedId] = useState<number | null>(null);
  const [landing, setLanding] = useState<Landing | null>(null);

  function end(): void {
    drag.current = null;
    setDraggedId(null);
    setLanding(null);
  }

  return {
    draggedId,
    landing,
    handleOf: (id: number, ids: readonly number[]) => ({
      onPointerDown: (event: PointerEvent<HTMLElement>): void => {
        const level = event.currentTarget.closest<HTMLElement>("[data-level]");
        if (event.button !== 0 || level === null) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        // Not every browser gives the focus to a pressed button; Escape is heard where the focus is.
        event.currentTarget.focus();
        drag.current = { id, pointerId: event.pointerId, ids, level };
        setDraggedId(id);
      },
      onPointerMove: (event: PointerEvent<HTMLElement>): void => {
        if (drag.current?.pointerId !== event.pointerId) return;
        setLanding(landingAt(drag.current, event.clientY));
      },
      onPointerUp: (event: PointerEvent<HTMLElement>): void => {
        if (drag.current?.pointerId !== event.pointerId) return;
        const to = landingAt(drag.current, event.clientY);
        const toIndex = to === null ? null : indexAfter(ids, id, to);
        end();
        if (toIndex !== null) onMove(id, toIndex);
      },
      onPointerCancel: end,
      onKeyDown: (event: KeyboardEvent<HTMLElement>): void => {
        if (event.key !== "Escape" || drag.current === null) return;
        event.stopPropagation();
        end();
      },
    }),
  };
}

/** The row under the pointer, or the nearest one of the level; null over the dragged one itself. */
function landingAt({ id, level }: Drag, y: number): Landing | null {
  const rows = [...level.children].filter((row) => row instanceof HTMLElement);
  const boxes = rows.map((row) => ({ row, box: row.getBoundingClientRect() }));
  const over = boxes.find(({ box }) => y < box.bottom) ?? boxes.at(-1);
  if (!over) return null;
  // A long level is moved along under the pointer.
  over.row.firstElementChild?.scrollIntoView({ block: "nearest" });
  const overId = Number(over.row.dataset["option"]);
  if (overId === id) return null;
  const isLower = y > (over.box.top + over.box.bottom) / 2;
  return { id: overId, side: isLower ? "after" : "before" };
}

/** The place among the others once the dragged one is taken out. */
function indexAfter(ids: readonly number[], id: number, to: Landing): number | null {
  const others = ids.filter((one) => one !== id);
  const index = others.indexOf(to.id);
  if (index === -1) return null;
  return to.side === "before" ? index : index + 1;
}
