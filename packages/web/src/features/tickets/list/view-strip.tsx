import "@mantine/core/styles/FloatingIndicator.layer.css";
import "@mantine/core/styles/SegmentedControl.layer.css";
import type { TicketView as SavedView, ViewFilter } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { Menu, SegmentedControl, TextInput } from "@mantine/core";
import {
  IconBookmark,
  IconPencil,
  IconPlus,
  IconTrash,
  IconUser,
  IconUsers,
} from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { MouseEvent, ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import { call } from "../../../api/client.ts";
import { queryClient } from "../../../api/query-client.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { liveList } from "../../../realtime/live-list.ts";
import { useCompanyEvent } from "../../../realtime/index.ts";
import { QuestionDialog } from "../../../ui/dialogs/question-dialog.tsx";
import { IconButton, notifyError } from "../../../ui/index.ts";
import { deleteWithUndo } from "../../../ui/delete-with-undo.ts";
import { useSession } from "../../auth/index.ts";
import type { ListFilter } from "./list-filter.ts";
import { filterText, isFiltered, noFilter } from "./list-filter.ts";
import type { ListTab } from "./ticket-view.ts";
import classes from "./view-strip.module.css";

/** What the lists show: one of them, own or all tickets, and the filter. */
export type Showing = Readonly<{ tab: ListTab; showAll: boolean; filter: ListFilter }>;

type Props = {
  showing: Showing;
  onShow: (showing: Showing) => void;
  /** Whether the strip has anything to show, for its place at the next visit. */
  onKnown: (isShown: boolean) => void;
};

const countsKey = ["ticket-views", "counts"] as const;

const savedViews = liveList<SavedView, number>({
  key: ["ticket-views", "list"],
  // Their counts come along.
  read: async (signal) => {
    const { views, ...counts } = await call("GET /ticket-views/counts", {}, { signal });
    queryClient.setQueryData(countsKey, counts);
    return views;
  },
  identify: ({ id }) => id,
}).follow("ticketView", (event) =>
  event.action === "delete" ? { removedId: event.viewId } : { row: event.view },
);

/** Counts are read again this long after a change of tickets; a burst of changes is one. */
const COUNT_AGAIN_MS = 3_000;

/** The saved views with their counts: the own ones first, then the team's. */
export function ViewStrip({ showing, onShow, onKnown }: Props): ReactNode {
  const { t } = useTranslation();
  const { user, can } = useSession();
  const { data: views } = useQuery(savedViews.query);
  const counts = useCounts(views !== undefined);
  const [form, setForm] = useState<SavedView | "new" | null>(null);
  const [menuOf, setMenuOf] = useState<number | null>(null);
  const strip = useRef<HTMLDivElement>(null);
  const ordered = (views ?? []).toSorted(
    (a, b) => Number(a.isShared) - Number(b.isShared) || a.id - b.id,
  );
  const { tab } = showing;
  const snoozed = tab === "open" || tab === "pending" ? (counts?.snoozed[tab] ?? 0) : 0;
  const canSave = isFiltered(showing.filter) && tab !== "search";
  const isShown = ordered.length > 0 || snoozed > 0;
  const isKnown = views !== undefined && counts !== undefined;
  useEffect(() => {
    if (isKnown) onKnown(isShown);
  }, [isKnown, isShown, onKnown]);
  if (!isShown && !canSave) return null;

  const shownText = textOf(showing);
  const mayChange = (view: SavedView): boolean => view.userId === user.id || can("tickets:see-all");

  async function remove({ id, name }: SavedView): Promise<void> {
    const params = { ticketViewId: id };
    await deleteWithUndo<SavedView>({
      ...{ kind: "viewDeleted", id, name, apply: savedViews.apply },
      remove: () => call("DELETE /ticket-views/:ticketViewId", { params }),
      restore: () => call("POST /ticket-views/:ticketViewId/undo", { params }),
    });
  }

  async function share(view: SavedView): Promise<void> {
    const params = { ticketViewId: view.id };
    const body = { isShared: !view.isShared };
    savedViews.apply({ row: await call("PUT /ticket-views/:ticketViewId", { params, body }) });
  }

  return (
    <div className={classes["strip"]}>
      <IconBookmark className={classes["sign"]} size={15} stroke={1.7} aria-hidden="true" />
      <div
        ref={strip}
        role="group"
        aria-label={t("tickets.views.title")}
        className={classes["views"]}
      >
        {ordered.map((view) => {
          const of = showingOf(view.filter);
          const isActive = textOf(of) === shownText;
          const open = (event: MouseEvent): void => {
            event.preventDefault();
            if (mayChange(view)) setMenuOf(view.id);
          };
          return (
            <Menu
              key={view.id}
              opened={menuOf === view.id}
              onClose={() => setMenuOf(null)}
              position="bottom-start"
              width={220}
            >
              <Menu.Target>
                <button
                  type="button"
                  className={classes["view"]}
                  aria-pressed={isActive}
                  onContextMenu={open}
                  onClick={() => onShow(isActive ? { ...showing, filter: noFilter } : of)}
                >
                  {view.isShared ? (
                    <IconUsers
                      size={13}
                      stroke={1.7}
                      role="img"
                      aria-label={t("tickets.views.shared")}
                    />
                  ) : null}
                  <span className={classes["name"]}>{view.name}</span>
                  <Count count={counts?.counts.find(({ id }) => id === view.id)?.count} />
                </button>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item
                  leftSection={<IconPencil size={15} stroke={1.7} aria-hidden="true" />}
                  onClick={() => setForm(view)}
                >
                  {t("tickets.views.rename")}
                </Menu.Item>
                <Menu.Item
                  leftSection={
                    view.isShared ? (
                      <IconUser size={15} stroke={1.7} aria-hidden="true" />
                    ) : (
                      <IconUsers size={15} stroke={1.7} aria-hidden="true" />
                    )
                  }
                  onClick={() => void share(view).catch(notifyError)}
                >
                  {t(view.isShared ? "tickets.views.unshare" : "tickets.views.share")}
                </Menu.Item>
                <Menu.Item
                  color="bad"
                  leftSection={<IconTrash size={15} stroke={1.7} aria-hidden="true" />}
                  onClick={() => void remove(view).catch(notifyError)}
                >
                  {t("tickets.views.delete")}
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          );
        })}
        {snoozed > 0 ? (
          <button
            type="button"
            className={classes["view"]}
            aria-pressed={showing.filter.isSnoozed}
            onClick={() => {
              const isSnoozed = !showing.filter.isSnoozed;
              onShow({ ...showing, filter: { ...noFilter, isSnoozed } });
            }}
          >
            <span className={classes["name"]}>{t("tickets.filters.isSnoozed")}</span>
            <Count count={snoozed} />
          </button>
        ) : null}
      </div>
      {canSave ? (
        <IconButton
          size="small"
          icon={IconPlus}
          label={t("tickets.views.save")}
          onClick={() => setForm("new")}
        />
      ) : null}
      {form === null ? null : (
        <ViewForm
          view={form === "new" ? null : form}
          filter={filterOf(showing)}
          onClose={() => setForm(null)}
        />
      )}
    </div>
  );
}

function Count({ count }: { count: number | undefined }): ReactNode {
  return (
    <span className={classes["count"]}>
      {count === undefined || count <= limits.viewCountMax ? count : `${limits.viewCountMax}+`}
    </span>
  );
}

/** The counts of all views in one request, read again after tickets changed; the first come with the views. */
function useCounts(areViewsKnown: boolean) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const { data } = useQuery({
    queryKey: countsKey,
    queryFn: async ({ signal }) => {
      const { counts, snoozed } = await call("GET /ticket-views/counts", {}, { signal });
      return { counts, snoozed };
    },
    enabled: areViewsKnown,
    // After a break of the live channel the views are read again, and bring the counts along.
    meta: { live: false },
  });
  function readAgain(): void {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void queryClient.invalidateQueries({ queryKey: countsKey });
    }, COUNT_AGAIN_MS);
  }
  useEffect(() => () => clearTimeout(timer.current), []);
  useCompanyEvent("ticket", readAgain);
  useCompanyEvent("appMessage", readAgain);
  useCompanyEvent("ticketView", readAgain);
  return data;
}

type FormProps = { view: SavedView | null; filter: ViewFilter; onClose: () => void };

/** Saves the present filter as a view, or renames one. */
function ViewForm({ view, filter, onClose }: FormProps): ReactNode {
  const { t } = useTranslation();
  const [name, setName] = useState(view?.name ?? "");
  const [isShared, setShared] = useState(view?.isShared ?? false);
  const [isMissing, setMissing] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const save = useMutation({
    mutationFn: () =>
      view === null
        ? call("POST /ticket-views", { body: { name: name.trim(), isShared, filter } })
        : call("PUT /ticket-views/:ticketViewId", {
            params: { ticketViewId: view.id },
            body: { name: name.trim(), isShared },
          }),
    onSuccess: (row) => {
      savedViews.apply({ row });
      void queryClient.invalidateQueries({ queryKey: countsKey });
      onClose();
    },
  });

  function confirm(): void {
    if (name.trim() !== "") save.mutate();
    else {
      setMissing(true);
      field.current?.focus();
    }
  }

  return (
    <QuestionDialog
      opened
      title={t(view === null ? "tickets.views.saveTitle" : "tickets.views.rename")}
      text={t("tickets.views.help")}
      confirm={t("common.save")}
      isBusy={save.isPending}
      error={save.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      <TextInput
        ref={field}
        label={t("tickets.views.name")}
        value={name}
        maxLength={limits.viewNameMax}
        required
        data-autofocus
        autoComplete="off"
        error={isMissing && name.trim() === "" ? t("tickets.views.nameRequired") : undefined}
        onChange={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.nativeEvent.isComposing) confirm();
        }}
      />
      <SegmentedControl
        className={classes["audience"] ?? ""}
        fullWidth
        aria-label={t("tickets.views.audience")}
        value={isShared ? "team" : "me"}
        onChange={(value) => setShared(value === "team")}
        data={[
          { value: "me", label: t("tickets.views.forMe") },
          { value: "team", label: t("tickets.views.forTeam") },
        ]}
      />
    </QuestionDialog>
  );
}

function filterOf({ tab, showAll, filter }: Showing): ViewFilter {
  const status = tab === "search" ? "open" : tab;
  return { ...filter, status, showAll } as ViewFilter; // the ids come from the server's lists
}

function showingOf({ status, showAll, ...filter }: ViewFilter): Showing {
  return { tab: status, showAll, filter };
}

/** Equal texts show the same. "All tickets" makes a difference among open ones only. */
function textOf({ tab, showAll, filter }: Showing): string {
  return `${tab} ${tab === "open" && showAll} ${filterText(filter)}`;
}
