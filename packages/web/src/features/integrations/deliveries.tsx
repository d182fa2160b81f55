import type { DeliveryId } from "@balcao/contract";
import { useMediaQuery } from "@mantine/hooks";
import { IconArrowUp, IconCheck, IconReload, IconWebhook, IconX } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { KeyboardEvent, MouseEvent, ReactNode } from "react";
import { Suspense, useEffect, useId, useRef, useState } from "react";
import { formatDayLabel, formatNumber } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useLocation, useSearchParams, useStepBack } from "../../router/index.tsx";
import { formatSecond } from "../../ui/ago-words.ts";
import { Button } from "../../ui/button.tsx";
import {
  EmptyState,
  IconButton,
  ListSkeleton,
  LoadFailed,
  notifyError,
  notifySuccess,
} from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import type { Tone } from "../../ui/marks.tsx";
import { PageSearch } from "../../ui/page/page.tsx";
import { NextPage } from "../../ui/page/record-table.tsx";
import type { DeliveryLog, LogFilter, LogPages, LogRow } from "./api.ts";
import { sendAgain, useDeliveries } from "./api.ts";
import { failureWords, kindWords, secondsText } from "./integration-words.tsx";
import classes from "./integrations.module.css";

const loadDetail = () => import("./delivery-detail.tsx");
const DeliveryDetail = lazyPart(
  async () => (await loadDetail()).DeliveryDetail,
  "inline",
  "programs",
);
const DeliveryPanel = lazyPart(async () => (await loadDetail()).DeliveryPanel, "over", "programs");

type LogPlace = LogFilter & { readonly deliveryId: number | null };

export type LogAddress = LogPlace & {
  /** The values of the address that lead here. */
  place: Readonly<Record<string, string>>;
  change: (next: Partial<LogPlace>) => void;
  /** Shows a delivery over the page, which Back closes. */
  openOver: (deliveryId: number) => void;
  closeOver: () => void;
};

/** Marks a step that opened a delivery over the page. */
const OVER_STEP = "delivery";

/** The filters of the log and the delivery that is shown, as they stand in the address. */
export function useLogAddress({ receiver }: Pick<DeliveryLog, "receiver">): LogAddress {
  const [params, setParams] = useSearchParams();
  const { state } = useLocation();
  const stepBack = useStepBack();
  const now: LogPlace = {
    receiverId: Number(params.get(receiver)) || null,
    onlyFailed: params.has("failed"),
    ticketId: Number(params.get("ticket")) || null,
    deliveryId: Number(params.get("delivery")) || null,
  };
  const others = Object.fromEntries(
    [...params].filter(([name]) => !Object.hasOwn(placeOf(receiver, everything), name)),
  );
  const at = (next: Partial<LogPlace>): Record<string, string> => ({
    ...others,
    ...placeOf(receiver, { ...now, ...next }),
  });
  return {
    ...now,
    place: placeOf(receiver, now),
    change: (next) => setParams(at(next), { replace: true, state }),
    openOver: (deliveryId) => setParams(at({ deliveryId }), { state: OVER_STEP }),
    closeOver() {
      if (state === OVER_STEP) stepBack();
      else setParams(at({ deliveryId: null }), { replace: true });
    },
  };
}

const everything: LogPlace = { receiverId: 1, onlyFailed: true, ticketId: 1, deliveryId: 1 };

function placeOf(
  receiver: DeliveryLog["receiver"],
  { receiverId, onlyFailed, ticketId, deliveryId }: LogPlace,
): Record<string, string> {
  return {
    ...(receiverId === null ? {} : { [receiver]: String(receiverId) }),
    ...(onlyFailed ? { failed: "" } : {}),
    ...(ticketId === null ? {} : { ticket: String(ticketId) }),
    ...(deliveryId === null ? {} : { delivery: String(deliveryId) }),
  };
}

type Props = {
  log: DeliveryLog;
  address: LogAddress;
  /** The receiver of the filter, if the table shows it. */
  receiverName: string | null;
};

/** The newest deliveries, and one of them with its request and answer: beside the list, or over the page under 1024 px. */
export function Deliveries({ log, address, receiverName }: Props): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  const isWide = useMediaQuery("(min-width: 1024px)", true, { getInitialValueInEffect: false });
  const { receiverId, onlyFailed, ticketId, deliveryId } = address;
  const filter = { receiverId, onlyFailed, ticketId };
  const pages = useDeliveries(log, filter);
  const rows = pages.rows ?? [];
  const marks = useMarks(rows, JSON.stringify(filter));
  const [clearings, setClearings] = useState(0);
  const again = useMutation({
    mutationFn: (ids: readonly DeliveryId[]) => sendAgain(log, ids),
    onSuccess: (count) => notifySuccess(t("integrations.log.again", { count })),
    onError: notifyError,
  });
  const ended = rows.filter((row) => marks.has(row.id) && row.state !== "waiting");
  const clearFilters = (): void => {
    setClearings(clearings + 1);
    address.change({ receiverId: null, onlyFailed: false, ticketId: null });
  };
  const open = (next: number): void =>
    isWide ? address.change({ deliveryId: next }) : address.openOver(next);

  return (
    <section className={classes["foot"]} aria-labelledby={`${id}title`}>
      <div className={classes["panes"]}>
        <div className={classes["log"]}>
          {marks.count === 0 ? (
            <div className={classes["logHead"]}>
              <h2 id={`${id}title`} className={classes["logTitle"]}>
                {t("integrations.log.title")}
              </h2>
              {receiverId === null ? null : (
                <button
                  type="button"
                  className={classes["chip"]}
                  aria-label={t("common.filters.remove", { name: receiverName ?? "" })}
                  onClick={() => address.change({ receiverId: null })}
                >
                  <span className="bc-ellipsis">
                    {receiverName ?? t(`integrations.log.one.${log.receiver}`)}
                  </span>
                  <IconX size={13} stroke={1.9} aria-hidden="true" />
                </button>
              )}
              <button
                type="button"
                className={classes["chip"]}
                aria-pressed={onlyFailed}
                onClick={() => address.change({ onlyFailed: !onlyFailed })}
              >
                {t("integrations.log.failed")}{" "}
                {pages.failed === null ? null : (
                  <span className={classes["count"]}>{formatNumber(pages.failed)}</span>
                )}
              </button>
              {log.receiver === "integration" ? (
                <div className={classes["find"]}>
                  <PageSearch
                    key={clearings}
                    label={t("integrations.log.ticket")}
                    start={ticketId === null ? "" : String(ticketId)}
                    onSearch={(words) => address.change({ ticketId: ticketOf(words) })}
                  />
                </div>
              ) : null}
            </div>
          ) : (
            <div className={classes["logHead"]}>
              <h2 id={`${id}title`} className={classes["logTitle"]} aria-live="polite">
                {t("integrations.log.marked", { count: marks.count })}
              </h2>
              <Button
                size="compact"
                leftSection={<IconReload size={15} stroke={1.7} aria-hidden="true" />}
                disabled={ended.length === 0}
                loading={again.isPending}
                onClick={() =>
                  again.mutate(
                    ended.map((row) => row.id),
                    { onSuccess: marks.clear },
                  )
                }
              >
                {t("integrations.log.sendAgain", { count: ended.length })}
              </Button>
              <IconButton
                size="small"
                label={t("integrations.log.unmark")}
                icon={IconX}
                onClick={marks.clear}
              />
            </div>
          )}
          <Log
            pages={pages}
            marks={marks}
            openId={deliveryId}
            opensOnMove={isWide}
            isFiltered={receiverId !== null || onlyFailed || ticketId !== null}
            onOpen={open}
            onClear={clearFilters}
          />
        </div>
        {isWide ? (
          <div className={classes["beside"]}>
            <Suspense fallback={<ListSkeleton />}>
              {deliveryId === null ? (
                <EmptyState
                  icon={IconWebhook}
                  title={t("integrations.log.chooseTitle")}
                  text={t("integrations.log.chooseText")}
                />
              ) : (
                <DeliveryDetail key={deliveryId} log={log} deliveryId={deliveryId} />
              )}
            </Suspense>
          </div>
        ) : null}
      </div>
      <Suspense fallback={null}>
        {isWide || deliveryId === null ? null : (
          <DeliveryPanel log={log} deliveryId={deliveryId} onClose={address.closeOver} />
        )}
      </Suspense>
    </section>
  );
}

function ticketOf(words: string): number | null {
  const digits = words.replaceAll(/\D/g, "");
  return digits === "" ? null : Number(digits);
}

type Marked = { of: string; ids: ReadonlySet<number> };

/** The rows that are marked to be sent again. Another filter begins anew. */
function useMarks(rows: readonly LogRow[], of: string) {
  const [state, setState] = useState<Marked>({ of, ids: new Set() });
  const anchor = useRef<number | null>(null);
  const ids = state.of === of ? state.ids : new Set<number>();
  const set = (next: ReadonlySet<number>): void => setState({ of, ids: next });
  return {
    count: ids.size,
    has: (id: number): boolean => ids.has(id),
    clear: (): void => set(new Set()),
    all: (): void => set(new Set(rows.map(({ id }) => id))),
    toggle(id: number): void {
      anchor.current = id;
      const next = new Set(ids);
      if (!next.delete(id)) next.add(id);
      set(next);
    },
    /** All between the row that was pressed last, or else `active`, and this one. */
    extend(id: number, active: number | null): void {
      anchor.current ??= active ?? id;
      const order = rows.map((row) => row.id as number);
      const from = order.indexOf(anchor.current);
      const [first, last] = [from, order.indexOf(id)].toSorted((a, b) => a - b);
      if (first === undefined || last === undefined || first < 0) return;
      set(new Set([...ids, ...order.slice(first, last + 1)]));
    },
    /** Where the next range begins. */
    begin(id: number): void {
      anchor.current = id;
    },
  };
}

type Marks = ReturnType<typeof useMarks>;

type LogProps = {
  pages: LogPages;
  marks: Marks;
  openId: number | null;
  /** The arrow keys show the row that they reach. */
  opensOnMove: boolean;
  isFiltered: boolean;
  onOpen: (deliveryId: DeliveryId) => void;
  onClear: () => void;
};

/** The rows as a list box: arrow keys move, Shift and Space mark, Enter opens. */
function Log(props: LogProps): ReactNode {
  const { pages, marks, openId, opensOnMove, isFiltered, onOpen, onClear } = props;
  const { t } = useTranslation();
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [reachedId, setReachedId] = useState<number | null>(null);
  const { rows, error, retry, showNewest } = pages;
  const activeId = reachedId ?? openId;
  useEffect(() => {
    if (reachedId === null) return;
    document.getElementById(`${id}${reachedId}`)?.scrollIntoView({ block: "nearest" });
  }, [id, reachedId]);

  if (rows === undefined) {
    if (error) return <LoadFailed icon={IconWebhook} error={error} onRetry={retry} />;
    return <ListSkeleton rows={5} />;
  }
  if (rows.length === 0) {
    if (pages.isPrevious) return <ListSkeleton rows={5} />;
    return isFiltered ? (
      <EmptyState
        icon={IconWebhook}
        title={t("integrations.log.noMatch")}
        action={
          <Button variant="default" onClick={onClear}>
            {t("integrations.log.clear")}
          </Button>
        }
      />
    ) : (
      <EmptyState
        icon={IconWebhook}
        title={t("integrations.log.none")}
        text={t("integrations.log.noneText")}
      />
    );
  }
  const known = rows;

  function reach(row: LogRow, isRange: boolean): void {
    setReachedId(row.id);
    if (isRange) marks.extend(row.id, activeId);
    else marks.begin(row.id);
    if (opensOnMove) onOpen(row.id);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const at = known.findIndex((row) => row.id === activeId);
    const [first, last, active] = [known[0], known.at(-1), known[at]];
    const next = known[event.key === "ArrowUp" ? Math.max(0, at - 1) : at + 1];
    switch (event.key) {
      case "ArrowDown":
      case "ArrowUp":
        if (next) reach(next, event.shiftKey);
        else pages.loadMore();
        break;
      case "Home":
        if (first) reach(first, event.shiftKey);
        break;
      case "End":
        if (last) reach(last, event.shiftKey);
        break;
      case " ":
        if (active) marks.toggle(active.id);
        break;
      case "Enter":
        if (active) onOpen(active.id);
        break;
      case "Escape":
        if (marks.count === 0) return;
        marks.clear();
        break;
      case "a":
        if (!event.ctrlKey && !event.metaKey) return;
        marks.all();
        break;
      default:
        return;
    }
    event.preventDefault();
  }

  function press(event: MouseEvent, row: LogRow): void {
    const isMark = event.target instanceof Element && event.target.closest("[data-mark]") !== null;
    if (event.shiftKey) {
      getSelection()?.removeAllRanges();
      marks.extend(row.id, activeId);
    } else if (isMark || event.ctrlKey || event.metaKey) marks.toggle(row.id);
    else {
      marks.begin(row.id);
      onOpen(row.id);
    }
    setReachedId(row.id);
  }

  return (
    <div ref={scroller} className={classes["scroller"]} data-some={marks.count > 0 || undefined}>
      {showNewest === null ? null : (
        <div className={classes["newer"]}>
          <Button
            size="compact"
            leftSection={<IconArrowUp size={15} stroke={1.7} aria-hidden="true" />}
            onClick={() => {
              scroller.current?.scrollTo({ top: 0 });
              showNewest();
            }}
          >
            {t("integrations.log.newer")}
          </Button>
        </div>
      )}
      <ul
        role="listbox"
        aria-multiselectable="true"
        aria-label={t("integrations.log.title")}
        aria-activedescendant={
          rows.some((row) => row.id === activeId) ? `${id}${activeId}` : undefined
        }
        tabIndex={0}
        className={classes["rows"]}
        onKeyDown={onKeyDown}
        onFocus={() => {
          if (activeId === null) setReachedId(rows[0]?.id ?? null);
        }}
      >
        {rows.map((row) => (
          <Row
            key={row.id}
            id={`${id}${row.id}`}
            delivery={row}
            isMarked={marks.has(row.id)}
            isOpen={row.id === openId}
            isActive={row.id === activeId}
            isSelected={marks.count === 0 ? row.id === openId : marks.has(row.id)}
            onPress={(event) => press(event, row)}
          />
        ))}
      </ul>
      <NextPage pages={pages} />
    </div>
  );
}

type RowProps = {
  id: string;
  delivery: LogRow;
  isMarked: boolean;
  isOpen: boolean;
  isActive: boolean;
  isSelected: boolean;
  onPress: (event: MouseEvent) => void;
};

function Row(props: RowProps): ReactNode {
  const { id, delivery, isMarked, isOpen, isActive, isSelected, onPress } = props;
  const { t } = useTranslation();
  const { createdAt, kind, receiverName: name, ticketId, tookMs } = delivery;
  const { words, tone } = useOutcome(delivery);
  const day = formatDayLabel(createdAt);
  return (
    <li
      id={id}
      role="option"
      className={classes["row"]}
      aria-selected={isSelected}
      data-open={isOpen || undefined}
      data-active={isActive || undefined}
      data-marked={isMarked || undefined}
      onClick={onPress}
    >
      <span className={classes["mark"]} data-mark="">
        <span className={classes["box"]}>
          {isMarked ? <IconCheck size={13} stroke={2.4} aria-hidden="true" /> : null}
        </span>
      </span>
      <span className={classes["time"]}>
        {formatSecond(createdAt)}
        {day === t("common.today") ? null : <span className={classes["small"]}>{day}</span>}
      </span>
      <span className={classes["what"]}>
        <span className={classes["kind"]}>{kindWords(t, kind)}</span>
        <span className={classes["about"]}>
          <span className={classes["small"]}>{name}</span>
          {ticketId === null ? null : (
            <span>{t("integrations.log.about", { number: ticketId })}</span>
          )}
        </span>
      </span>
      <span className={classes["outcome"]} data-tone={tone}>
        {words}
      </span>
      <span className={classes["took"]}>{tookMs === null ? "" : secondsText(t, tookMs)}</span>
    </li>
  );
}

/** What became of a delivery, in words and colour. */
function useOutcome(delivery: LogRow): { words: string; tone: Tone | undefined } {
  const { t } = useTranslation();
  const { state, status, tries } = delivery;
  if (state === "delivered")
    return { words: String(status ?? t("integrations.log.ok")), tone: "ok" };
  if (state === "failed") return { words: failureWords(t, delivery), tone: "bad" };
  if (tries === 0) return { words: t("integrations.log.waiting"), tone: undefined };
  return {
    words: t("integrations.log.retrying", { why: failureWords(t, delivery) }),
    tone: "warn",
  };
}
