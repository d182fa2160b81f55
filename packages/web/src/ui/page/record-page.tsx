import type { Icon } from "@tabler/icons-react";
import { IconColumns3, IconPencil, IconPlus, IconTrash } from "@tabler/icons-react";
import type { ComponentProps, ReactNode } from "react";
import { Suspense, useEffect, useRef, useState } from "react";
import type { Pages } from "../../api/use-pages.ts";
import type { PlainTextKey } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useLocation, useSearchParams, useStepBack } from "../../router/index.tsx";
import { Button } from "../button.tsx";
import { DraftOf } from "../drafts.ts";
import { IconButton } from "../icon-button.tsx";
import { lazyPart } from "../lazy-part.tsx";
import { OnDemand } from "../on-demand.tsx";
import { notifySuccess } from "../toasts.tsx";
import { Page, PageSearch } from "./page.tsx";
import type { Column, Select, Sort } from "./record-table.tsx";
import { RecordTable } from "./record-table.tsx";

export const ActionQuestion = lazyPart(
  async () => (await import("../dialogs/question-dialog.tsx")).ActionQuestion,
  "over",
);
const ColumnChoices = lazyPart(async () => (await import("../choices.tsx")).ColumnChoices);

/** With more columns than this, users choose which ones to show. */
const COLUMNS_FOR_ALL = 4;
/** Marks a step of the address that the page itself made. */
const OWN_STEP = "own";
/** Marks a step that opened a form: the step before it is the list. */
const OPENING_STEP = "opening";

/** The state of a list in the address: a reload or a shared link shows the same rows, order and form. */
type ListAddress = {
  words: string;
  sort: Sort;
  /** The filter as text, written and read by the page; "" for none. */
  filter: string;
  /** Changes when a link, Back or Forward leads to another search, so that the field shows it. */
  fieldKey: string;
  change: (next: { words?: string; sort?: Sort; filter?: string }) => void;
  /** The record whose form is open, by its id. */
  open: number | "new" | null;
  openForm: (record: number | "new") => void;
  closeForm: () => void;
};

/**
 * The words of the search (`search`), the order (`sort=name`, `sort=-name`), the filter (`filter`) and the open form
 * (`edit=12`, `new`). `place` are the values that lead to the list, for a list in a tab.
 */
export function useListAddress(place: Readonly<Record<string, string>> = {}): ListAddress {
  const [params, setParams] = useSearchParams();
  const { key, state } = useLocation();
  const stepBack = useStepBack();
  const closedAt = useRef("");
  const list = readList(params);
  const { words } = list;
  const open = params.has("new") ? "new" : Number(params.get("edit")) || null;
  const [seen, setSeen] = useState({ key, words, open, fieldKey: key });
  if (key !== seen.key) {
    const isOwn = state === OWN_STEP || (words === seen.words && open !== seen.open);
    setSeen({ key, words, open, fieldKey: isOwn ? seen.fieldKey : key });
  }
  const withForm = (record: number | "new" | null): Record<string, string> => {
    if (record === null) return {};
    return record === "new" ? { new: "" } : { edit: String(record) };
  };
  const valuesOf = ({ words: search, sort, filter }: ListState): Record<string, string> => ({
    ...place,
    ...(search === "" ? {} : { search }),
    ...(sort === null ? {} : { sort: (sort.descending ? "-" : "") + sort.by }),
    ...(filter === "" ? {} : { filter }),
  });
  // A change may come before the one before it is drawn.
  const present = (now: URLSearchParams) => valuesOf(readList(now));
  return {
    ...list,
    fieldKey: seen.fieldKey,
    change(next) {
      const step = { replace: true, state: open === null ? OWN_STEP : state };
      setParams((now) => ({ ...valuesOf({ ...readList(now), ...next }), ...withForm(open) }), step);
    },
    open,
    openForm: (record) =>
      setParams((now) => ({ ...present(now), ...withForm(record) }), { state: OPENING_STEP }),
    closeForm() {
      // Back is asynchronous, and a second step back would leave the page.
      if (closedAt.current === key) return;
      closedAt.current = key;
      if (state === OPENING_STEP) stepBack();
      else setParams(present, { replace: true, state: OWN_STEP });
    },
  };
}

type ListState = Pick<ListAddress, "words" | "sort" | "filter">;

function readList(params: URLSearchParams): ListState {
  const [, minus, by] = /^(-?)(.+)$/.exec(params.get("sort") ?? "") ?? [];
  return {
    words: params.get("search") ?? "",
    sort: by === undefined ? null : { by, descending: minus === "-" },
    filter: params.get("filter") ?? "",
  };
}

/** Catalogues that have a text of this name. */
type TextsWith<Name extends string> = PlainTextKey extends infer Key
  ? Key extends `${infer Texts}.${Name}`
    ? Texts
    : never
  : never;
/** Catalogues with the title of a list, its search and its empty state. */
type ListTexts = TextsWith<"title"> & TextsWith<"search"> & TextsWith<"emptyText">;
/** Catalogues that also have the texts of deleting a record. */
type RecordTexts = ListTexts & TextsWith<"deleted">;

type ListProps<Row> = {
  texts: ListTexts;
  icon: Icon;
  address: ListAddress;
  /** The rows that the words of the search find. */
  pages: Pages<Row>;
  columns: readonly Column<Row>[];
  /** Default: the title of the catalogue. */
  title?: string;
  /** Default: how many rows there are. */
  count?: number;
  back?: ReactNode;
  /** Further controls beside the search. */
  tools?: ReactNode;
  /** The row of filters, which write `filter` of the address. */
  filters?: ReactNode;
  /** Beside the button that adds, where there is no row at all. */
  emptyTools?: ReactNode;
  /** Null: there is nothing to add. */
  onAdd?: (() => void) | null;
  select?: Select<Row>;
  /** A press anywhere in a row. Something in the row does the same for the keyboard. */
  onOpen?: (row: Row) => void;
  /** Below the table. */
  foot?: ReactNode;
  renderActions?: ((row: Row) => ReactNode) | null;
  /** Dialogs. */
  children?: ReactNode;
};

/** A page of records that are searched, ordered and read. */
export function ListPage<Row extends { id: number }>(props: ListProps<Row>): ReactNode {
  const { texts, icon, address, pages, columns, tools, onAdd = null, renderActions = null } = props;
  const { t } = useTranslation();
  const { hidden, choice } = useColumnChoice(texts, columns);
  const { words, filter } = address;
  // Another number is another, empty field.
  const [clearings, setClearings] = useState(0);
  const { title = t(`${texts}.title`), count = pages.rows ? pages.count : null } = props;
  return (
    <Page
      title={title}
      count={count}
      back={props.back}
      tools={
        <>
          <PageSearch
            key={`${address.fieldKey} ${clearings}`}
            label={t(`${texts}.search`)}
            start={words}
            onSearch={(next) => address.change({ words: next })}
          />
          {choice}
          {tools}
          {onAdd === null ? null : (
            <Button
              leftSection={<IconPlus size={15} stroke={1.7} aria-hidden="true" />}
              onClick={onAdd}
            >
              {t("common.add")}
            </Button>
          )}
        </>
      }
    >
      {props.filters}
      <RecordTable
        label={title}
        pages={pages}
        columns={columns.filter(({ id }) => !hidden.includes(id))}
        sort={address.sort}
        onSort={(sort) => address.change({ sort })}
        identify={({ id }) => id}
        select={props.select}
        {...(props.onOpen === undefined ? {} : { onOpen: props.onOpen })}
        renderActions={renderActions}
        empty={
          words === "" && filter === ""
            ? {
                icon,
                drawing: "sheet",
                title: t("common.noRecord"),
                text: t(`${texts}.emptyText`),
                action: (
                  <>
                    {props.emptyTools} {onAdd && <Button onClick={onAdd}>{t("common.add")}</Button>}
                  </>
                ),
              }
            : {
                icon,
                drawing: "search",
                title: words === "" ? t("common.noFiltered") : t("common.noMatch", { words }),
                action: (
                  <Button
                    variant="default"
                    onClick={() => {
                      address.change({ words: "", filter: "" });
                      setClearings(clearings + 1);
                    }}
                  >
                    {t(filter === "" ? "common.clearSearch" : "common.clearAll")}
                  </Button>
                ),
              }
        }
      />
      {props.foot}
      <Suspense fallback={null}>{props.children}</Suspense>
    </Page>
  );
}

type Choosable = Pick<Column<never>, "id" | "title" | "isName" | "isHiddenAtFirst">;

/** The columns that are hidden on this device, and the button that chooses them. */
function useColumnChoice(texts: ListTexts, columns: readonly Choosable[]) {
  const key = `balcao.hiddenColumns.${texts}`;
  const [stored, setStored] = useState(() => readHidden(key));
  if (columns.length <= COLUMNS_FOR_ALL) return { hidden: [] as string[], choice: null };
  const optional = columns.filter(({ isName }) => !isName);
  const hidden = optional
    .filter(({ id, isHiddenAtFirst = false }) => stored?.includes(id) ?? isHiddenAtFirst)
    .map(({ id }) => id);
  const setHidden = (next: readonly string[]): void => {
    localStorage.setItem(key, JSON.stringify(next));
    setStored(next);
  };
  const choice = (
    <OnDemand
      part={ColumnChoices}
      standIn={<ColumnsTarget aria-haspopup="menu" aria-expanded={false} />}
    >
      <ColumnChoices
        columns={optional}
        hidden={hidden}
        onChange={setHidden}
        target={<ColumnsTarget />}
      />
    </OnDemand>
  );
  return { hidden, choice };
}

/** Null before a choice. What is stored may be of an older version, or of somebody else. */
function readHidden(key: string): readonly unknown[] | null {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "null");
    return Array.isArray(stored) ? stored : null;
  } catch {
    return null;
  }
}

type TargetProps = Omit<ComponentProps<typeof IconButton>, "label" | "icon">;

function ColumnsTarget(props: TargetProps): ReactNode {
  const { t } = useTranslation();
  return <IconButton {...props} label={t("common.columns")} icon={IconColumns3} />;
}

type Deletion<Row> =
  | {
      /** Says what else a deletion removes. */
      deleteText: (row: Row) => string;
      onDelete: (row: Row) => Promise<void>;
      /** Instead of the toast, the offer to undo it says that it is done. */
      offersUndo?: boolean;
    }
  | {
      /** A question of its own, where it needs to read more than the row. */
      renderRemoval: (row: Row, onClose: () => void) => ReactNode;
    };

type Props<Row> = Omit<ListProps<Row>, "texts" | "onAdd" | "renderActions"> &
  Deletion<Row> & {
    texts: RecordTexts;
    nameOf: (row: Row) => string;
    /** Default: true. */
    mayAdd?: boolean;
    /** Default: all rows. */
    mayEdit?: (row: Row) => boolean;
    /** Default: all rows. */
    mayDelete?: (row: Row) => boolean;
    /** The form of a row, or of a new one. */
    renderForm: (row: Row | null, onClose: () => void) => ReactNode;
  };

/** A page of records that are searched, ordered, added, edited in a dialog and deleted after a question. */
export function RecordPage<Row extends { id: number }>(props: Props<Row>): ReactNode {
  const { nameOf, renderForm, children, ...list } = props;
  const { mayAdd = true, mayEdit = always, mayDelete = always } = props;
  const { t } = useTranslation();
  const { open, openForm, closeForm } = list.address;
  const opened = useOpenRow(list.address, list.pages, mayEdit);
  const [removed, setRemoved] = useState<Row | null>(null);
  const endRemoval = (): void => setRemoved(null);

  function renderRemoval(row: Row): ReactNode {
    if ("renderRemoval" in props) return props.renderRemoval(row, endRemoval);
    return (
      <ActionQuestion
        isDestructive
        title={t(`${props.texts}.deleteTitle`, { name: nameOf(row) })}
        text={props.deleteText(row)}
        confirm={t("common.deleteConfirm")}
        run={() => props.onDelete(row)}
        onDone={() => {
          if (!props.offersUndo) notifySuccess(t(`${props.texts}.deleted`));
        }}
        onClose={endRemoval}
      />
    );
  }

  return (
    <ListPage
      {...list}
      onAdd={mayAdd ? () => openForm("new") : null}
      renderActions={(row) => (
        <>
          {mayEdit(row) ? (
            <IconButton
              label={t("common.edit", { name: nameOf(row) })}
              icon={IconPencil}
              onClick={() => openForm(row.id)}
            />
          ) : null}
          {mayDelete(row) ? (
            <IconButton
              label={t("common.delete", { name: nameOf(row) })}
              icon={IconTrash}
              onClick={() => setRemoved(row)}
            />
          ) : null}
        </>
      )}
    >
      {(open === "new" && mayAdd) || opened !== null ? (
        <DraftOf value={`${list.texts} ${open}`}>{renderForm(opened, closeForm)}</DraftOf>
      ) : null}
      {removed === null ? null : renderRemoval(removed)}
      {children}
    </ListPage>
  );
}

/** The row of the open form, as it was when the form opened: it may leave the list meanwhile. */
export function useOpenRow<Row extends { id: number }>(
  { open, closeForm }: ListAddress,
  { rows, isPrevious, hasMore, isLoadingMore, error, loadMore }: Pages<Row>,
  mayEdit: (row: Row) => boolean,
): Row | null {
  const [kept, setKept] = useState<Row | null>(null);
  const found = rows?.find((row) => row.id === open && mayEdit(row)) ?? null;
  const row = kept?.id === open ? kept : found;
  if (row !== kept) setKept(row);
  const isMissing = typeof open === "number" && row === null && rows !== undefined && !isPrevious;
  useEffect(() => {
    if (!isMissing || isLoadingMore || error !== null) return;
    if (hasMore) loadMore();
    else closeForm();
  });
  return row;
}

const always = (): boolean => true;
