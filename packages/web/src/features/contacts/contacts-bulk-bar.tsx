import type { ContactBulkAction, ContactSelection, ListedContact } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { IconListDetails, IconMessageOff, IconTrash, IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { ExportButton } from "../../ui/export-button.tsx";
import { IconButton, notifyError, notifySuccess } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import type { Selection } from "../../ui/page/selection.tsx";
import { offerUndo } from "../../ui/undo.tsx";
import { useSession } from "../auth/index.ts";
import { LazyAddToListDialog } from "../contact-lists/index.ts";
import type { BulkResult } from "./api.ts";
import { changeContacts, saveContactsFile, undoOptOuts } from "./api.ts";
import type { ContactFilter } from "./contact-filter.ts";
import classes from "./contacts-bulk-bar.module.css";

const ActionQuestion = lazyPart(
  async () => (await import("../../ui/dialogs/question-dialog.tsx")).ActionQuestion,
  "over",
);

type Props = {
  selection: Selection<ListedContact>;
  count: number;
  /** Contacts that the list finds. */
  total: number;
  filter: ContactFilter & { searchParam?: string };
};

/** The actions on the selected contacts, below the table. */
export function ContactsBulkBar({ selection, count, total, filter }: Props): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const [asked, setAsked] = useState<"list" | "remove" | null>(null);
  const [progress, setProgress] = useState<number | null>(null);
  const { chosen } = selection;
  const isAll = "except" in chosen;
  const isTooMany = !isAll && chosen.ids.size > limits.chosenContactsMax;
  const isBusy = progress !== null;
  const wire = wireSelection(selection, filter);

  async function run(action: ContactBulkAction): Promise<BulkResult> {
    setProgress(0);
    try {
      return await changeContacts(wire, action, setProgress);
    } finally {
      setProgress(null);
    }
  }

  function optOut(): void {
    run("optOut")
      .then(({ changedIds }) => {
        selection.clear();
        const name = t("contacts.bulk.contacts", { count: changedIds.length });
        if (changedIds.length === 0) notifySuccess(t("contacts.bulk.outAlready"));
        else {
          const kind = changedIds.length === 1 ? "optedOut" : "severalOptedOut";
          offerUndo({ kind, name, undo: () => undoOptOuts(changedIds) });
        }
      })
      .catch(notifyError);
  }

  return (
    <div
      className={classes["bar"]}
      role="toolbar"
      aria-label={t("contacts.bulk.toolbar")}
      data-bulk="tall"
    >
      <span className={classes["count"]} aria-live="polite">
        {isBusy
          ? t("contacts.bulk.progress", { done: progress, count })
          : t("contacts.bulk.selected", { count })}
      </span>
      {!isAll && count < total && !isBusy ? (
        <button type="button" className="bc-text-button" onClick={selection.chooseAll}>
          {t("contacts.bulk.all", { count: total })}
        </button>
      ) : null}
      <span className={classes["actions"]}>
        {can("contact-lists:manage") ? (
          <Button
            variant="default"
            disabled={isBusy || isTooMany}
            leftSection={<IconListDetails size={15} stroke={1.7} aria-hidden="true" />}
            onClick={() => setAsked("list")}
          >
            {t("contacts.bulk.toList")}
          </Button>
        ) : null}
        <Button
          variant="default"
          disabled={isBusy || isTooMany}
          leftSection={<IconMessageOff size={15} stroke={1.7} aria-hidden="true" />}
          onClick={optOut}
        >
          {t("contacts.optOut.mark")}
        </Button>
        <ExportButton
          isNamed
          count={count}
          disabled={isBusy || isTooMany}
          save={(format) => saveContactsFile(wire, format)}
        />
        {can("contacts:delete") ? (
          <Button
            variant="default"
            data-key="Delete"
            disabled={isBusy || isTooMany}
            leftSection={<IconTrash size={15} stroke={1.7} aria-hidden="true" />}
            onClick={() => setAsked("remove")}
          >
            {t("contacts.remove")}
          </Button>
        ) : null}
        <IconButton
          data-key="Escape"
          label={t("contacts.bulk.clear")}
          icon={IconX}
          onClick={selection.clear}
        />
      </span>
      <Suspense fallback={null}>
        {asked === "list" ? (
          <LazyAddToListDialog
            selection={wire}
            count={count}
            mayKeepFilter={isAll}
            onDone={selection.clear}
            onClose={() => setAsked(null)}
          />
        ) : null}
        {asked === "remove" ? (
          <ActionQuestion
            isDestructive
            title={t("contacts.bulk.removeTitle", { count })}
            text={t("contacts.bulk.removeText")}
            confirm={t("common.deleteConfirm")}
            run={async () => {
              const { changedIds, refused } = await run("remove");
              selection.clear();
              notifySuccess(
                t("contacts.bulk.removed", { count: changedIds.length }) +
                  (refused === 0 ? "" : ` ${t("contacts.bulk.refused", { count: refused })}`),
              );
            }}
            onDone={() => undefined}
            onClose={() => setAsked(null)}
          />
        ) : null}
      </Suspense>
    </div>
  );
}

/** The selection as the server is told it: never thousands of ids. */
function wireSelection(
  { chosen }: Pick<Selection<ListedContact>, "chosen">,
  filter: Props["filter"],
): ContactSelection {
  const branded = (ids: ReadonlySet<number>) => [...ids] as ListedContact["id"][]; // of rows
  if ("ids" in chosen) return { ids: branded(chosen.ids) };
  return { filter: filter as never, except: branded(chosen.except) }; // ids in it are of rows
}
