import type { KeyboardEvent, PointerEvent } from "react";
import type { EditedChatbot, QueueOption } from "@balcao/contract";
import { hasCode } from "../../api/client.ts";
import { i18n, useTranslation } from "../../i18n/index.ts";
import { createStore, useStore } from "../../store/index.ts";
import { errorText, notifyError } from "../../ui/index.ts";
import type { OptionChange } from "./chatbot-api.ts";
import {
  addOption,
  changesOf,
  levelOf,
  orderLevel,
  pathTo,
  reordered,
  saveGreeting,
  saveOption,
} from "./chatbot-api.ts";
import { useEffect, useMemo, useRef, useState } from "react";

/** The text fields of an option. */
export type OptionField = "title" | "message" | "option";

export type OptionDraft = {
  /** Unsaved input. */
  values: Readonly<Partial<Record<OptionField, string>>>;
  /** The error of the last save. */
  failure: Error | null;
  /** The fields with invalid input. */
  wrong: readonly OptionField[];
};

type Drafts = ReadonlyMap<number, OptionDraft>;

/** Texts are saved this long after the last key. A number is not: "1" may become "12". */
const SAVE_AFTER_MS = 800;

const none: OptionDraft = { values: {}, failure: null, wrong: [] };

/** Unsaved input in options of all queues. It is kept until it is saved, even after the editor closed. */
const optionDrafts = createStore<Drafts>(new Map());
const queueOf = new Map<number, number>();
const timers = new Map<number, ReturnType<typeof setTimeout>>();
const underWay = new Map<number, Promise<void>>();
/** Fields to save after the running save of the same option. */
const wanted = new Map<number, Set<OptionField>>();

/** Stores typed text: shown at once, saved after a short pause. */
export function typeInto(option: QueueOption, field: OptionField, text: string): void {
  const draft = draftOf(option.id);
  queueOf.set(option.id, option.queueId);
  const values = { ...draft.values, [field]: text };
  set(option.id, { ...draft, values, wrong: draft.wrong.filter((one) => one !== field) });
  clearTimeout(timers.get(option.id));
  if (field === "option") return;
  timers.set(
    option.id,
    setTimeout(() => void saveTyped(option.id, ["title", "message"]), SAVE_AFTER_MS),
  );
}

/**
 * Saves typed text when a field is left or Enter is pressed. Resolves when all saves of the option ended; errors are
 * stored in the draft. With `keepalive` it does not wait and outlives the page.
 */
export function saveTyped(
  id: number,
  fields: readonly OptionField[] = ["title", "message", "option"],
  wish: { keepalive: boolean } = { keepalive: false },
): Promise<void> {
  clearTimeout(timers.get(id));
  const before = underWay.get(id);
  if (before && !wish.keepalive) {
    wanted.set(id, new Set([...(wanted.get(id) ?? []), ...fields]));
    return before;
  }
  const saving = sendTyped(id, fields, wish).finally(() => underWay.delete(id));
  underWay.set(id, saving);
  return saving;
}

async function sendTyped(
  id: number,
  fields: readonly OptionField[],
  wish: { keepalive: boolean },
): Promise<void> {
  const draft = optionDrafts.get().get(id);
  const queueId = queueOf.get(id);
  if (!draft || queueId === undefined) return;
  const typed = fields.filter((field) => draft.values[field] !== undefined);
  const wrong = typed.filter((field) => !isValid(field, draft.values[field] ?? ""));
  const good = typed.filter((field) => !wrong.includes(field));
  if (good.length === 0) {
    if (wrong.length > 0) set(id, { ...draft, wrong });
    return;
  }
  const sent = Object.fromEntries(good.map((field) => [field, draft.values[field] ?? ""]));
  set(id, { ...draft, wrong, failure: null });
  try {
    await saveOption(queueId, id, changeOf(sent), wish);
  } catch (error) {
    wanted.delete(id);
    if (hasCode(error, "ERR_NO_QUEUE_OPTION_FOUND")) {
      // A colleague deleted the option; there is no row left to show the error.
      notifyError(errorText(i18n.t, error));
      dropTyped(id);
      return;
    }
    const failure = error instanceof Error ? error : new Error(String(error));
    set(id, { ...draftOf(id), failure });
    return;
  }
  const after = draftOf(id);
  const left = Object.entries(after.values).filter(([field, text]) => sent[field] !== text);
  set(id, { ...after, values: Object.fromEntries(left) });
  const next = wanted.get(id);
  wanted.delete(id);
  if (next) await sendTyped(id, [...next], wish);
}

/** Unsaved greetings by queue. */
const greetings = createStore<ReadonlyMap<number, string>>(new Map());
const greetingTimers = new Map<number, ReturnType<typeof setTimeout>>();

/** Stores a typed greeting: shown at once, saved after a short pause. */
export function typeGreeting(queueId: number, text: string): void {
  greetings.set(new Map(greetings.get()).set(queueId, text));
  clearTimeout(greetingTimers.get(queueId));
  greetingTimers.set(
    queueId,
    setTimeout(() => void saveTypedGreeting(queueId), SAVE_AFTER_MS),
  );
}

/** Resolves to true if no typed greeting is left unsaved, as far as this one goes. */
async function saveTypedGreeting(
  queueId: number,
  wish: { keepalive: boolean } = { keepalive: false },
): Promise<boolean> {
  clearTimeout(greetingTimers.get(queueId));
  const text = greetings.get().get(queueId);
  if (text === undefined) return true;
  try {
    await saveGreeting(queueId, text, wish);
  } catch (error) {
    fail(error);
    return false;
  }
  // Later input stays.
  if (greetings.get().get(queueId) === text) {
    const left = new Map(greetings.get());
    left.delete(queueId);
    greetings.set(left);
  }
  return true;
}

/** Saves all typed text of a queue's chatbot; resolves to true if all was saved. */
export async function saveAllTyped(
  queueId: number,
  wish: { keepalive: boolean } = { keepalive: false },
): Promise<boolean> {
  const ids = [...optionDrafts.get().keys()].filter((id) => queueOf.get(id) === queueId);
  const [isGreetingSaved] = await Promise.all([
    saveTypedGreeting(queueId, wish),
    ...ids.map((id) => saveTyped(id, undefined, wish)),
  ]);
  const isSaved = ids.every((id) => {
    const { failure, wrong } = draftOf(id);
    return failure === null && wrong.length === 0;
  });
  return isSaved && isGreetingSaved;
}

/** Drops typed text: after Escape, or when the option is deleted. */
export function dropTyped(id: number): void {
  clearTimeout(timers.get(id));
  set(id, none);
}

/** The options with all unsaved texts. */
export function withDrafts(options: readonly QueueOption[], typed: Drafts): readonly QueueOption[] {
  return options.map((option) => {
    const draft = typed.get(option.id);
    if (!draft) return option;
    const { title = option.title, message = option.message } = draft.values;
    return { ...option, title, message };
  });
}

function changeOf(sent: Readonly<Record<string, string>>): OptionChange {
  const { title, message, option } = sent;
  return {
    ...(title === undefined ? {} : { title: title.trim() }),
    ...(message === undefined ? {} : { message }),
    ...(option === undefined ? {} : { option: option.trim() }),
  };
}

function isValid(field: OptionField, text: string): boolean {
  if (field === "title") return text.trim() !== "";
  return field !== "option" || /^[1-9]\d{0,2}$/.test(text.trim());
}

function draftOf(id: number): OptionDraft {
  return optionDrafts.get().get(id) ?? none;
}

function set(id: number, draft: OptionDraft): void {
  const isEmpty = Object.keys(draft.values).length === 0 && draft.failure === null;
  const next = new Map(optionDrafts.get());
  if (isEmpty) next.delete(id);
  else next.set(id, draft);
  optionDrafts.set(next);
}

/** The state and actions that the rows of the tree share. */
export type OptionTree = ReturnType<typeof useOptionTree>;

/** The state of the editor: open, folded and dragged options. */
export function useOptionTree(queueId: number, chatbot: EditedChatbot) {
  const { t } = useTranslation();
  const { options } = chatbot.draft;
  const typedGreeting = useStore(greetings).get(queueId);
  const changes = useMemo(() => changesOf(chatbot), [chatbot]);
  const [openId, setOpenId] = useState<number | null>(null);
  const [newId, setNewId] = useState<number | null>(null);
  const [foldedIds, setFoldedIds] = useState<ReadonlySet<number>>(new Set());
  const [isAdding, setAdding] = useState(false);
  const [announcement, setAnnouncement] = useState("");
  const drafts = useStore(optionDrafts);
  const drag = useLevelDrag(moveTo);
  useSaveOnLeaving(queueId);

  function moveTo(id: number, toIndex: number): void {
    const option = options.find((one) => one.id === id);
    if (!option) return;
    const ids = levelOf(options, option.parentId).map((one) => one.id);
    const order = reordered(ids, id, toIndex);
    if (order === null) return;
    const place = { title: option.title, place: toIndex + 1, count: ids.length };
    setAnnouncement(t("queues.moved", place));
    orderLevel(queueId, option.parentId, order).catch(fail);
  }

  function open(id: number | null): void {
    if (openId !== null && openId !== id) void saveTyped(openId);
    setNewId(null);
    setOpenId(id);
  }

  async function add(parentId: number | null): Promise<void> {
    if (isAdding) return;
    setAdding(true);
    try {
      const added = await addOption(queueId, parentId, t("queues.newOption"));
      const above = new Set<number>(pathTo(options, parentId).map(({ id }) => id));
      setFoldedIds((folded) => new Set([...folded].filter((id) => !above.has(id))));
      open(added.id);
      setNewId(added.id);
    } catch (error) {
      fail(error);
    } finally {
      setAdding(false);
    }
  }

  return {
    options,
    /** What a publication changes for customers. */
    changes,
    /** With unsaved text. */
    greetingMessage: typedGreeting ?? chatbot.draft.greetingMessage,
    drafts,
    drag,
    openId,
    /** A new option, whose title takes the focus. */
    newId,
    foldedIds,
    isAdding,
    announcement,
    open,
    add: (parentId: number | null) => void add(parentId),
    toggleFold(id: number): void {
      setFoldedIds((folded) => {
        const next = new Set(folded);
        if (!next.delete(id)) next.add(id);
        return next;
      });
    },
    /** Moves one place up (-1) or down (1) in its level. */
    move(option: QueueOption, by: -1 | 1): void {
      const ids = levelOf(options, option.parentId).map(({ id }) => id);
      moveTo(option.id, ids.indexOf(option.id) + by);
    },
  };
}

function fail(error: unknown): void {
  notifyError(errorText(i18n.t, error));
}

/** Saves typed text when the editor or the page is left. */
function useSaveOnLeaving(queueId: number): void {
  useEffect(() => {
    const save = (): void => void saveAllTyped(queueId, { keepalive: true });
    window.addEventListener("pagehide", save);
    return () => {
      window.removeEventListener("pagehide", save);
      void saveAllTyped(queueId).then((isSaved) => {
        // The field that would show the error is gone.
        if (!isSaved) notifyError(i18n.t("queues.textsLeft"));
      });
    };
  }, [queueId]);
}

/** Where a dragged option would land: before or after another one of its level. */
type Landing = { id: number; side: "before" | "after" };

type Drag = { id: number; pointerId: number; ids: readonly number[]; level: HTMLElement };

/**
 * Drags an option to another place of its level. Rows are found by `data-option`, as children of their list. Escape
 * cancels.
 */
function useLevelDrag(onMove: (id: number, toIndex: number) => void) {
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
        // Some browsers do not focus a pressed button, but Escape needs the focus here.
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
  // A long level scrolls with the pointer.
  over.row.firstElementChild?.scrollIntoView({ block: "nearest" });
  const overId = Number(over.row.dataset["option"]);
  if (overId === id) return null;
  const isLower = y > (over.box.top + over.box.bottom) / 2;
  return { id: overId, side: isLower ? "after" : "before" };
}

/** The new place among the other options. */
function indexAfter(ids: readonly number[], id: number, to: Landing): number | null {
  const others = ids.filter((one) => one !== id);
  const index = others.indexOf(to.id);
  if (index === -1) return null;
  return to.side === "before" ? index : index + 1;
}
