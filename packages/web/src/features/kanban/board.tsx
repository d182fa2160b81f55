import type { BoardCard as Card } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { IconDotsVertical, IconGripVertical } from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import type { ComponentProps, CSSProperties, KeyboardEvent, ReactNode } from "react";
import { useEffect, useMemo, useRef } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "../../i18n/index.ts";
import { useNow } from "../../ui/clock.ts";
import { IconButton } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { OnDemand } from "../../ui/on-demand.tsx";
import { useNewest } from "../tickets/index.ts";
import type { BoardCardActions } from "./board-card.tsx";
import { BoardCard, CardGhost } from "./board-card.tsx";
import type { Board as BoardData, BoardLane } from "./board-data.ts";
import { findCard, hasMore } from "./board-data.ts";
import classes from "./kanban.module.css";
import { useLift } from "./use-lift.ts";

const LaneMenu = lazyPart(
  async () => (await import("./kanban-menus.tsx")).LaneMenu,
  "inline",
  "kanban",
);

/** A card and the gap below it, before they are measured. */
const CARD_PX = 138;

type Props = {
  board: BoardData;
  /** Lanes that are shown: all of them, or one under 600 px. */
  lanes: readonly BoardLane[];
  openId: number | null;
  /** The words of a search; "" for none. */
  words: string;
  /** The lanes are being ordered. */
  isOrdering: boolean;
  mayDrag: boolean;
  /** Null for those who may not order lanes. */
  onOrder: ((laneId: number, by: -1 | 1) => void) | null;
  onEditTag: ((laneId: number) => void) | null;
  onOpen: (card: Card) => void;
  onMove: (ticketId: number, from: number | null, to: number | null) => void;
  onMore: (laneId: number | null) => void;
};

/** The lanes side by side. */
export function Board(props: Props): ReactNode {
  const { board, openId, isOrdering, mayDrag, onOpen, onMove } = props;
  const { t } = useTranslation();
  const nowMs = useNow(limits.timeLabelRefreshMs);
  const root = useRef<HTMLDivElement>(null);
  const ghost = useRef<HTMLDivElement>(null);
  /** The card that was moved last. */
  const followed = useRef<number | null>(null);
  const { lifted, lift, onPointerDown, onLiftedKey } = useLift({
    board,
    scroller: () => root.current,
    ghost: () => ghost.current,
    onDrop(ticketId, from, to) {
      followed.current = ticketId;
      onMove(ticketId, from, to);
    },
  });
  const shown = lifted?.board ?? board;
  const lanes = props.lanes.map((lane) => shown.lanes.find(({ id }) => id === lane.id) ?? lane);
  const liftedId = lifted?.card.id ?? null;

  // A card that changes its lane is another element: the focus follows it, unless it has gone elsewhere.
  useEffect(() => {
    const id = followed.current;
    if (id === null || liftedId !== null) return;
    const active = document.activeElement;
    if (active === null || active === document.body) {
      document.querySelector<HTMLElement>(`[data-card="${id}"]`)?.focus();
    } else if (active.getAttribute("data-card") !== String(id)) followed.current = null;
  });

  // The panel makes the board narrower, and its card must stay in sight.
  useEffect(() => {
    if (openId === null) return;
    const element = document.querySelector(`[data-card="${openId}"]`);
    element?.closest("article")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [openId]);
  const overId = lifted === null ? undefined : (lifted.over ?? 0);
  useEffect(() => {
    if (lifted?.by !== "keyboard" || overId === undefined) return;
    root.current
      ?.querySelector(`[data-lane="${overId}"]`)
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [lifted?.by, overId]);

  function step(event: KeyboardEvent<HTMLElement>, card: Card, laneId: number | null): void {
    if (onLiftedKey(event)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " ") {
      event.preventDefault();
      if (mayDrag && !isOrdering) lift(card, laneId, "keyboard");
      return;
    }
    const next = neighbourOf(lanes, card.id, event.key);
    if (next === undefined) return;
    event.preventDefault();
    root.current?.querySelector<HTMLElement>(`[data-card="${next}"]`)?.focus();
  }

  const newest = useNewest({ onOpen, onMove, onPointerDown, step, mayDrag, isOrdering });
  const actions = useMemo(
    (): BoardCardActions => ({
      open: (card) => newest.current.onOpen(card),
      move: (...move) => newest.current.onMove(...move),
      pointerDown: (event, card, laneId) => {
        if (newest.current.mayDrag && !newest.current.isOrdering) {
          newest.current.onPointerDown(event, card, laneId);
        }
      },
      key: (...key) => newest.current.step(...key),
    }),
    [newest],
  );
  const refs = useMemo(
    () => shown.lanes.map(({ id, name, color }) => ({ id, name, color })),
    [shown.lanes],
  );

  return (
    <>
      <div
        ref={root}
        className={classes["board"]}
        data-lifting={lifted === null ? undefined : true}
      >
        {lanes.map((lane, index) => (
          <Lane
            {...props}
            key={lane.id ?? 0}
            lane={lane}
            laneRefs={refs}
            isFirst={index <= 1}
            isLast={index === lanes.length - 1}
            isOver={lifted !== null && lifted.over === lane.id}
            isTarget={lifted !== null && lifted.over === lane.id && lifted.from !== lane.id}
            guest={lifted?.by === "keyboard" && lifted.over === lane.id ? lifted.card : null}
            liftedId={liftedId}
            nowMs={nowMs}
            actions={actions}
          />
        ))}
      </div>
      <p id="kanban-keys" hidden>
        {mayDrag ? t("kanban.keysHelp") : t("kanban.menuHelp")}
      </p>
      <LiftBar lifted={lifted} />
      {lifted?.by === "pointer"
        ? createPortal(
            <div ref={ghost} className={classes["ghost"]} aria-hidden="true">
              <CardGhost card={lifted.card} nowMs={nowMs} />
            </div>,
            document.body,
          )
        : null}
    </>
  );
}

/** The card to which an arrow leads; undefined for other keys and at the edges. */
function neighbourOf(lanes: readonly BoardLane[], id: number, key: string): number | undefined {
  const laneAt = lanes.findIndex(({ cards }) => cards.some((card) => card.id === id));
  const lane = lanes[laneAt];
  if (!lane) return undefined;
  const at = lane.cards.findIndex((card) => card.id === id);
  if (key === "ArrowUp") return lane.cards[at - 1]?.id;
  if (key === "ArrowDown") return lane.cards[at + 1]?.id;
  if (key === "Home") return lane.cards[0]?.id;
  if (key !== "ArrowLeft" && key !== "ArrowRight") return undefined;
  const side = key === "ArrowLeft" ? lanes.slice(0, laneAt).toReversed() : lanes.slice(laneAt + 1);
  // Empty lanes have no card to go to.
  const other = side.find(({ cards }) => cards.length > 0);
  return other?.cards[Math.min(at, other.cards.length - 1)]?.id;
}

type LaneProps = Props & {
  lane: BoardLane;
  laneRefs: ComponentProps<typeof BoardCard>["lanes"];
  isFirst: boolean;
  isLast: boolean;
  isOver: boolean;
  /** A lifted card of another lane would be dropped here. */
  isTarget: boolean;
  /** The card that is there by keyboard; under the pointer it is shown beside it. */
  guest: Card | null;
  liftedId: number | null;
  nowMs: number;
  actions: BoardCardActions;
};

function Lane(props: LaneProps): ReactNode {
  const { lane, isOver, isTarget, liftedId, openId, onMore, words } = props;
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
  const { cards } = lane;
  // oxlint-disable-next-line react/incompatible-library -- used as documented
  const virtualizer = useVirtualizer({
    count: cards.length,
    estimateSize: () => CARD_PX,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => cards[index]?.id ?? index,
    overscan: 4,
    // Without a layout, as in tests, the first cards are shown.
    initialRect: { width: 288, height: 900 },
  });
  const items = virtualizer.getVirtualItems();
  const isNearEnd = (items.at(-1)?.index ?? -1) >= cards.length - 4;
  const mustRead = isNearEnd && hasMore(lane) && liftedId === null;
  const laneId = lane.id;
  const readMore = useNewest(onMore);
  useEffect(() => {
    if (mustRead) readMore.current(laneId);
  }, [mustRead, cards.length, laneId, readMore]);
  const name = laneId === null ? t("kanban.open") : lane.name;
  const style = { "--lane": laneId === null ? "var(--bc-ink3)" : lane.color } as CSSProperties;

  return (
    <section
      className={classes["lane"]}
      aria-label={t("kanban.laneNamed", { name, count: lane.count })}
      data-lane={laneId ?? 0}
      data-over={isOver || undefined}
      style={style}
    >
      <LaneHead {...props} name={name} />
      {isTarget ? (
        <div className={classes["place"]} aria-hidden="true">
          {props.guest ? <CardGhost card={props.guest} nowMs={props.nowMs} /> : null}
        </div>
      ) : null}
      <div
        ref={scroller}
        className={classes["cards"]}
        role="list"
        aria-label={name}
        tabIndex={cards.length === 0 ? undefined : -1}
      >
        {cards.length === 0 && !isTarget ? (
          <p className={classes["none"]} role="listitem">
            {words === "" ? t("kanban.empty") : t("kanban.noneFound", { words })}
          </p>
        ) : null}
        <div
          role="presentation"
          className={classes["all"]}
          style={{ height: virtualizer.getTotalSize() }}
        >
          {items.map(({ index, start, key }) => {
            const card = cards[index];
            if (!card) return null;
            return (
              <div
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                role="listitem"
                aria-setsize={lane.count}
                aria-posinset={index + 1}
                className={classes["row"]}
                style={{ top: start }}
              >
                <BoardCard
                  card={card}
                  laneId={laneId}
                  lanes={props.laneRefs}
                  isOpen={card.id === openId}
                  isGap={card.id === liftedId}
                  nowMs={props.nowMs}
                  actions={props.actions}
                />
              </div>
            );
          })}
        </div>
      </div>
    </section>
  );
}

function LaneHead(props: LaneProps & { name: string }): ReactNode {
  const { lane, name, isOrdering, isFirst, isLast, onOrder, onEditTag } = props;
  const laneId = lane.id;
  return (
    <header className={classes["laneHead"]}>
      {isOrdering && laneId !== null && onOrder ? (
        <Handle name={name} laneId={laneId} onStep={(by) => onOrder(laneId, by)} />
      ) : null}
      <h2 className={classes["laneName"]}>
        <span className={classes["cut"]}>{name}</span>{" "}
        <span className={classes["count"]}>{lane.count}</span>
      </h2>
      {laneId === null || onOrder === null || isOrdering ? null : (
        <OnDemand
          part={LaneMenu}
          standIn={<LaneMore name={name} aria-haspopup="menu" aria-expanded={false} />}
        >
          <LaneMenu
            target={<LaneMore name={name} />}
            onLeft={isFirst ? null : () => onOrder(laneId, -1)}
            onRight={isLast ? null : () => onOrder(laneId, 1)}
            onEdit={onEditTag === null ? null : () => onEditTag(laneId)}
          />
        </OnDemand>
      )}
    </header>
  );
}

type MoreProps = Omit<ComponentProps<typeof IconButton>, "label" | "icon"> & { name: string };

function LaneMore({ name, ...rest }: MoreProps): ReactNode {
  const { t } = useTranslation();
  return (
    <IconButton
      {...rest}
      size="small"
      label={t("kanban.laneMore", { name })}
      icon={IconDotsVertical}
    />
  );
}

type HandleProps = { name: string; laneId: number; onStep: (by: -1 | 1) => void };

/** Moves a lane with the pointer, or with the arrows while it has the focus. */
function Handle({ name, laneId, onStep }: HandleProps): ReactNode {
  const { t } = useTranslation();
  // Each step renders the lanes anew, and gives the handle another function.
  const newest = useNewest(onStep);
  const end = useRef<(() => void) | null>(null);
  useEffect(() => () => end.current?.(), []);

  /** Followed by the window: the handle moves in the document with its lane. */
  function hold(): void {
    const follow = ({ clientX, clientY }: globalThis.PointerEvent): void => {
      const below = document.elementFromPoint(clientX, clientY)?.closest("[data-lane]");
      const own = document.querySelector(`[data-lane="${laneId}"]`);
      if (!below || !own || below === own || below.getAttribute("data-lane") === "0") return;
      const frame = below.getBoundingClientRect();
      const isRight = frame.left > own.getBoundingClientRect().left;
      // Past its middle, so that two lanes do not change places again and again.
      const middle = frame.left + frame.width / 2;
      if (isRight ? clientX > middle : clientX < middle) newest.current(isRight ? 1 : -1);
    };
    const leave = (): void => {
      window.removeEventListener("pointermove", follow);
      window.removeEventListener("pointerup", leave);
      window.removeEventListener("pointercancel", leave);
      end.current = null;
    };
    end.current?.();
    end.current = leave;
    window.addEventListener("pointermove", follow);
    window.addEventListener("pointerup", leave);
    window.addEventListener("pointercancel", leave);
  }
  return (
    <button
      type="button"
      className={classes["handle"]}
      aria-label={t("kanban.handle", { name })}
      onPointerDown={hold}
      onKeyDown={(event) => {
        if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
        event.preventDefault();
        onStep(event.key === "ArrowLeft" ? -1 : 1);
      }}
    >
      <IconGripVertical size={16} stroke={1.7} aria-hidden="true" />
    </button>
  );
}

/** Where the lifted card is, and by keyboard what the keys do; the same text is told to screen readers. */
function LiftBar({ lifted }: { lifted: ReturnType<typeof useLift>["lifted"] }): ReactNode {
  const { t } = useTranslation();
  const lane = lifted?.board.lanes.find(({ id }) => id === lifted.over);
  const isHome = lifted?.over === lifted?.from;
  const place = lifted && isHome ? (findCard(lifted.board, lifted.card.id)?.index ?? 0) + 1 : 1;
  const text =
    lifted && lane
      ? t("kanban.over", {
          name: lifted.card.contact.name,
          lane: lane.id === null ? t("kanban.open") : lane.name,
          place,
          count: lane.count + (isHome ? 0 : 1),
        })
      : "";
  const isByKeys = lifted?.by === "keyboard";
  const keys = (
    <>
      <span className={classes["key"]}>
        <kbd>←</kbd>
        <kbd>→</kbd> {t("kanban.keyLane")}
      </span>
      <span className={classes["key"]}>
        <kbd>{t("kanban.space")}</kbd> {t("kanban.keyDrop")}
      </span>
      <span className={classes["key"]}>
        <kbd>Esc</kbd> {t("kanban.keyBack")}
      </span>
    </>
  );
  return (
    <div
      role="status"
      aria-live="polite"
      className={text === "" ? "bc-hidden-text" : classes["bar"]}
    >
      {text === "" ? null : (
        <>
          <strong>{text}</strong>
          {isByKeys ? keys : null}
        </>
      )}
    </div>
  );
}
