import type { KeyboardEvent, PointerEvent as ReactPointerEvent } from "react";
import { useEffect, useRef, useState } from "react";
import type { BoardCard } from "@balcao/contract";
import type { Board } from "./board-data.ts";

/** A lifted card: from which lane, and over which one it is. */
export type Lifted = Readonly<{
  card: BoardCard;
  from: number | null;
  over: number | null;
  by: "pointer" | "keyboard";
  /** The board when it was lifted: changes of others must not shift the card. */
  board: Board;
}>;

/** The pointer has to move so far before it lifts a card; a finger has to rest so long. */
const LIFT_PX = 5;
const REST_MS = 300;
/** Near an edge, the board scrolls by so much in a frame. */
const EDGE_PX = 72;
const STEP_PX = 14;

type Options = {
  board: Board | undefined;
  /** The element that scrolls sideways. */
  scroller: () => HTMLElement | null;
  /** The card under the pointer. */
  ghost: () => HTMLElement | null;
  onDrop: (ticketId: number, from: number | null, to: number | null) => void;
};

/** Lifts a card with the pointer or by keyboard, moves it between lanes, drops it or puts it back. */
export function useLift({ board, scroller, ghost, onDrop }: Options) {
  const [lifted, setLifted] = useState<Lifted | null>(null);
  const newest = useRef({ board, lifted, onDrop });
  useEffect(() => {
    newest.current = { board, lifted, onDrop };
  });
  const endPointer = useRef<(() => void) | null>(null);
  useEffect(() => () => endPointer.current?.(), []);

  function lift(card: BoardCard, laneId: number | null, by: Lifted["by"]): void {
    const known = newest.current.board;
    if (known) setLifted({ card, from: laneId, over: laneId, by, board: known });
  }

  function putBack(): void {
    endPointer.current?.();
    setLifted(null);
  }

  function drop(): void {
    const { lifted: held, onDrop: tell } = newest.current;
    endPointer.current?.();
    setLifted(null);
    if (held && held.over !== held.from) tell(held.card.id, held.from, held.over);
  }

  function moveOver(laneId: number | null | undefined): void {
    if (laneId === undefined) return;
    setLifted((held) => (held === null || held.over === laneId ? held : { ...held, over: laneId }));
  }

  function onPointerDown(
    event: ReactPointerEvent<HTMLElement>,
    card: BoardCard,
    laneId: number | null,
  ): void {
    if (event.button !== 0 || newest.current.lifted !== null) return;
    const { target } = event;
    // Events of an open menu come here too, from outside of the card.
    if (!(target instanceof Element) || !event.currentTarget.contains(target)) return;
    if (target.closest("a, [data-own-press]")) return;
    const frame = event.currentTarget.getBoundingClientRect();
    const start = { x: event.clientX, y: event.clientY };
    const offset = { x: start.x - frame.left, y: start.y - frame.top };
    const at = { ...start };
    const isTouch = event.pointerType === "touch";
    let isUp = false;
    let animation = 0;
    const rest = isTouch ? setTimeout(() => begin(), REST_MS) : undefined;

    function begin(): void {
      isUp = true;
      lift(card, laneId, "pointer");
      animation = requestAnimationFrame(follow);
    }
    /** In each frame: the ghost is at the pointer, the board scrolls near its edges, the lane below is found again. */
    function follow(): void {
      const element = ghost();
      if (element) {
        element.style.width = `${frame.width}px`;
        element.style.transform = `translate(${at.x - offset.x}px, ${at.y - offset.y}px)`;
      }
      const board = scroller();
      if (board) {
        const { left, right } = board.getBoundingClientRect();
        if (at.x > right - EDGE_PX) board.scrollLeft += STEP_PX;
        else if (at.x < left + EDGE_PX) board.scrollLeft -= STEP_PX;
      }
      moveOver(laneAt(at.x, at.y));
      animation = requestAnimationFrame(follow);
    }
    function onMove({ clientX, clientY }: globalThis.PointerEvent): void {
      at.x = clientX;
      at.y = clientY;
      if (isUp) return;
      const hasMoved = Math.hypot(at.x - start.x, at.y - start.y) > LIFT_PX;
      if (!hasMoved) return;
      // A finger that moves at once scrolls.
      if (isTouch) end();
      else begin();
    }
    function onUp(): void {
      if (!isUp) return end();
      const over = laneAt(at.x, at.y);
      const held = newest.current.lifted;
      if (held && over !== undefined) newest.current.lifted = { ...held, over };
      // The click that follows must not open the card.
      window.addEventListener("click", swallow, { capture: true, once: true });
      setTimeout(() => window.removeEventListener("click", swallow, { capture: true }));
      drop();
    }
    function onKey(event: globalThis.KeyboardEvent): void {
      if (event.key !== "Escape" || !isUp) return;
      event.preventDefault();
      event.stopPropagation();
      putBack();
    }
    function onTouchMove(event: TouchEvent): void {
      if (isUp) event.preventDefault();
    }
    function end(): void {
      clearTimeout(rest);
      cancelAnimationFrame(animation);
      window.removeEventListener("pointermove", onMove);
      window.removeEventListener("pointerup", onUp);
      window.removeEventListener("pointercancel", putBackByBrowser);
      window.removeEventListener("keydown", onKey, { capture: true });
      window.removeEventListener("touchmove", onTouchMove);
      endPointer.current = null;
    }
    function putBackByBrowser(): void {
      end();
      setLifted(null);
    }
    endPointer.current?.();
    endPointer.current = end;
    window.addEventListener("pointermove", onMove);
    window.addEventListener("pointerup", onUp);
    window.addEventListener("pointercancel", putBackByBrowser);
    window.addEventListener("keydown", onKey, { capture: true });
    window.addEventListener("touchmove", onTouchMove, { passive: false });
  }

  /** The keys of a lifted card; true if the key was one of them. */
  function onLiftedKey(event: KeyboardEvent): boolean {
    const held = newest.current.lifted;
    if (held?.by !== "keyboard") return false;
    const lanes = held.board.lanes;
    const at = lanes.findIndex(({ id }) => id === held.over);
    switch (event.key) {
      case "ArrowLeft":
        moveOver(lanes[Math.max(at - 1, 0)]?.id);
        break;
      case "ArrowRight":
        moveOver(lanes[Math.min(at + 1, lanes.length - 1)]?.id);
        break;
      case " ":
      case "Enter":
        drop();
        break;
      case "Escape":
        putBack();
        break;
      case "ArrowUp":
      case "ArrowDown":
        break;
      default:
        return false;
    }
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  return { lifted, lift, putBack, onPointerDown, onLiftedKey };
}

function swallow(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}

/** The id of the lane at a place of the screen. */
function laneAt(x: number, y: number): number | null | undefined {
  const text = document.elementFromPoint(x, y)?.closest("[data-lane]")?.getAttribute("data-lane");
  if (text === null || text === undefined) return undefined;
  return text === "0" ? null : Number(text);
}
