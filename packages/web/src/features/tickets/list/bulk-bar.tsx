import "@mantine/core/styles/Combobox.layer.css";
import "@mantine/core/styles/ScrollArea.layer.css";
import type { BulkResult, RequestOf, Ticket } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { Select } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import { IconArrowsRightLeft, IconCheck, IconTag, IconUserCheck, IconX } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import { call } from "../../../api/client.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { QuestionDialog } from "../../../ui/dialogs/question-dialog.tsx";
import { errorText, IconButton, notifyError } from "../../../ui/index.ts";
import { matchingOptions } from "../../../ui/matches.ts";
import { offerUndo, UNDO_ASKED_SECONDS } from "../../../ui/undo.tsx";
import { useQueues } from "../../queues/index.ts";
import { reasonList, useSetting } from "../../settings/index.ts";
import { tagList } from "../../tags/index.ts";
import classes from "./bulk-bar.module.css";
import { clearSelection, selectOnly } from "./selection.ts";
import { writeTicketEvent } from "./ticket-pages.ts";

type Change = RequestOf<"POST /tickets/bulk">["body"]["change"];
type Action = Change["action"];

const icons: Readonly<Record<Action, Icon>> = {
  resolve: IconCheck,
  transfer: IconArrowsRightLeft,
  assign: IconUserCheck,
  tag: IconTag,
};
const actions = Object.keys(icons) as readonly Action[];

/** What can be done with the chosen tickets, below their list. `isClosed`: they are resolved ones, which only get tags. */
export function BulkBar({
  tickets,
  isClosed,
}: {
  tickets: readonly Ticket[];
  isClosed: boolean;
}): ReactNode {
  const { t } = useTranslation();
  const [action, setAction] = useState<Action | null>(null);
  const isTooMany = tickets.length > limits.bulkMax;
  const count = tickets.length;
  return (
    <div
      role="toolbar"
      aria-label={t("tickets.bulk.toolbar")}
      className={classes["bar"]}
      data-bulk=""
      // React passes the keys of an open question on to here, too.
      onKeyDown={({ key }) => {
        if (key === "Escape" && action === null) clearSelection();
      }}
    >
      <p className={classes["count"]} role="status">
        {isTooMany
          ? t("tickets.bulk.tooMany", { max: limits.bulkMax })
          : t("tickets.bulk.chosen", { count })}
      </p>
      {actions
        .filter((one) => !isClosed || one === "tag")
        .map((one) => (
          <IconButton
            key={one}
            icon={icons[one]}
            label={t(`tickets.bulk.${one}`)}
            disabled={isTooMany}
            onClick={() => setAction(one)}
          />
        ))}
      <IconButton
        icon={IconX}
        label={t("tickets.bulk.clear")}
        shortcut="Esc"
        onClick={clearSelection}
      />
      {action === null ? null : (
        <BulkQuestion
          key={action}
          action={action}
          tickets={tickets}
          onClose={() => setAction(null)}
        />
      )}
    </div>
  );
}

type QuestionProps = { action: Action; tickets: readonly Ticket[]; onClose: () => void };

/** Asks for what the change needs, and makes it. */
function BulkQuestion({ action, tickets, onClose }: QuestionProps): ReactNode {
  const { t } = useTranslation();
  const [reasonId, setReasonId] = useState<string | null>(null);
  const [queueId, setQueueId] = useState<string | null>(null);
  const [userId, setUserId] = useState<string | null>(null);
  const [tagId, setTagId] = useState<string | null>(null);
  const [isMissing, setMissing] = useState(false);
  const { data: reasons = [] } = useQuery(reasonList.query);
  const isReasonRequired = useSetting("resolveReasonRequired") === "enabled" && reasons.length > 0;
  const run = useMutation({
    mutationFn: (change: Change) => {
      const ticketIds = tickets.map(({ id }) => id);
      const body = { ticketIds, change, undoSeconds: UNDO_ASKED_SECONDS };
      return call("POST /tickets/bulk", { body });
    },
    onSuccess: ({ results }) => {
      onClose();
      finish(results);
    },
  });

  /** The refused tickets stay chosen. */
  function finish(results: readonly BulkResult[]): void {
    writeResults(results);
    const refused = results.filter(({ error }) => error !== null);
    const done = results.length - refused.length;
    selectOnly(refused.map(({ ticketId }) => ticketId));
    const [first] = refused;
    if (first) {
      const reason = errorText(t, new Error(first.error ?? ""));
      notifyError(t("tickets.bulk.refused", { count: refused.length, reason }));
    }
    const undos = results.flatMap(({ ticketId, undo }) =>
      undo ? [{ ticketId, undoId: undo.id }] : [],
    );
    if (undos.length === 0) return;
    offerUndo({
      kind: "several",
      name: t(`tickets.bulk.done.${action}`, { count: done }),
      undo: async () =>
        writeResults((await call("POST /tickets/bulk/undo", { body: { undos } })).results),
    });
  }

  /** Null while something is missing. */
  function changeOf(): Change | null {
    switch (action) {
      case "resolve":
        return isReasonRequired && reasonId === null ? null : { action, reasonId };
      case "transfer":
        return queueId === null ? null : { action, queueId, userId };
      case "assign":
        return userId === null ? null : { action, userId };
      case "tag":
        return tagId === null ? null : { action, tagIds: [tagId] };
    }
  }

  function confirm(): void {
    const change = changeOf();
    if (change === null) setMissing(true);
    else run.mutate(change);
  }

  const missing = isMissing && changeOf() === null;
  return (
    <QuestionDialog
      opened
      title={t(`tickets.bulk.title.${action}`, { count: tickets.length })}
      text={t(`tickets.bulk.text.${action}`)}
      confirm={t(`tickets.bulk.${action}`)}
      isBusy={run.isPending}
      error={run.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      {action === "resolve" && reasons.length > 0 ? (
        <Select
          label={t(isReasonRequired ? "tickets.reason" : "tickets.reasonOptional")}
          data={choices(reasons)}
          value={reasonId}
          onChange={setReasonId}
          error={missing ? t("tickets.reasonRequired") : undefined}
          required={isReasonRequired}
          searchable
          filter={matchingOptions}
          nothingFoundMessage={t("common.noOption")}
        />
      ) : null}
      {action === "transfer" ? (
        <QueueSelect value={queueId} onChange={setQueueId} isMissing={missing} />
      ) : null}
      {action === "transfer" || action === "assign" ? (
        <UserSelect
          value={userId}
          onChange={setUserId}
          isRequired={action === "assign"}
          isMissing={missing && action === "assign"}
        />
      ) : null}
      {action === "tag" ? (
        <TagSelect value={tagId} onChange={setTagId} isMissing={missing} />
      ) : null}
    </QuestionDialog>
  );
}

function writeResults(results: readonly BulkResult[]): void {
  for (const { ticket } of results) {
    if (ticket !== null) writeTicketEvent({ action: "update", ticket });
  }
}

function choices(rows: readonly { id: number; name: string }[]) {
  return rows.map(({ id, name }) => ({ value: String(id), label: name }));
}

type SelectProps = {
  value: string | null;
  onChange: (value: string | null) => void;
  isMissing: boolean;
};

function QueueSelect({ value, onChange, isMissing }: SelectProps): ReactNode {
  const { t } = useTranslation();
  const queues = useQueues();
  return (
    <Select
      label={t("tickets.queue")}
      data={choices(queues ?? [])}
      value={value}
      onChange={onChange}
      error={isMissing ? t("tickets.queueRequired") : undefined}
      required
      searchable
      filter={matchingOptions}
      nothingFoundMessage={t(queues === undefined ? "common.loading" : "common.noOption")}
    />
  );
}

function UserSelect({
  value,
  onChange,
  isRequired,
  isMissing,
}: SelectProps & { isRequired: boolean }): ReactNode {
  const { t } = useTranslation();
  const { data: users } = useQuery({
    queryKey: ["tickets", "choices", "users"],
    queryFn: ({ signal }) => call("GET /users/list", { query: {} }, { signal }),
  });
  return (
    <Select
      label={t(isRequired ? "tickets.bulk.user" : "tickets.bulk.userOptional")}
      data={choices(users ?? [])}
      value={value}
      onChange={onChange}
      error={isMissing ? t("tickets.bulk.userRequired") : undefined}
      required={isRequired}
      clearable={!isRequired}
      clearButtonProps={{ "aria-label": t("tickets.bulk.noUser") }}
      searchable
      filter={matchingOptions}
      nothingFoundMessage={t(users === undefined ? "common.loading" : "common.noOption")}
    />
  );
}

function TagSelect({ value, onChange, isMissing }: SelectProps): ReactNode {
  const { t } = useTranslation();
  const { data: tags } = useQuery(tagList.query);
  return (
    <Select
      label={t("tickets.filters.tagIds")}
      data={choices(tags ?? [])}
      value={value}
      onChange={onChange}
      error={isMissing ? t("tickets.bulk.tagRequired") : undefined}
      required
      searchable
      filter={matchingOptions}
      nothingFoundMessage={t(tags === undefined ? "common.loading" : "common.noOption")}
    />
  );
}
