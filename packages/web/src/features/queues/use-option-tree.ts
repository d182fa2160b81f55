import type { QueueOption } from "@balcao/contract";
import { useEffect, useState, useSyncExternalStore } from "react";
import { i18n, useTranslation } from "../../i18n/index.ts";
import { errorText, notifyError } from "../../ui/index.ts";
import { addOption, orderLevel } from "./chatbot-api.ts";
import type { Drafts } from "./option-drafts.ts";
import { optionDrafts, saveAllTyped, saveTyped } from "./option-drafts.ts";
import { levelOf, pathTo, reordered } from "./option-tree.ts";
import { useLevelDrag } from "./use-level-drag.ts";

/** What the rows of the tree show and do together. */
export type OptionTree = ReturnType<typeof useOptionTree>;

/** The state of the editor: which option is open, which are folded, what is dragged. */
export function useOptionTree(queueId: number, options: readonly QueueOption[]) {
  const { t } = useTranslation();
  const [openId, setOpenId] = useState<number | null>(null);
  const [newId, setNewId] = useState<number | null>(null);
  const [foldedIds, setFoldedIds] = useState<ReadonlySet<number>>(new Set());
  const [isAdding, setAdding] = useState(false);
  const [announcement, setAnnouncement] = useState("");
  const drafts: Drafts = useSyncExternalStore(optionDrafts.subscribe, optionDrafts.all);
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
    drafts,
    drag,
    openId,
    /** Just added: its title is to be written. */
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
    /** One place up (-1) or down (1) in its level. */
    move(option: QueueOption, by: -1 | 1): void {
      const ids = levelOf(options, option.parentId).map(({ id }) => id);
      moveTo(option.id, ids.indexOf(option.id) + by);
    },
  };
}

function fail(error: unknown): void {
  notifyError(errorText(i18n.t, error));
}

/** What is typed goes out when the editor is left, and when the page is. */
function useSaveOnLeaving(queueId: number): void {
  useEffect(() => {
    const save = (): void => void saveAllTyped(queueId, { keepalive: true });
    window.addEventListener("pagehide", save);
    return () => {
      window.removeEventListener("pagehide", save);
      void saveAllTyped(queueId).then((isSaved) => {
        // The field that would say so is gone.
        if (!isSaved) notifyError(i18n.t("queues.textsLeft"));
      });
    };
  }, [queueId]);
}
