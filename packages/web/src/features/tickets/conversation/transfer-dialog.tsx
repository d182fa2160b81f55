import type { Queue, Ticket } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { NativeSelect, Switch, Textarea } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { FormEvent, KeyboardEvent, ReactNode } from "react";
import { Suspense, useId, useMemo, useRef, useState } from "react";
import type { TFunction } from "../../../i18n/index.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { Button } from "../../../ui/button.tsx";
import { useNow } from "../../../ui/clock.ts";
import { DialogFrame } from "../../../ui/dialogs/dialog-frame.tsx";
import { errorText, notifySuccess } from "../../../ui/index.ts";
import { UNDO_ASKED_SECONDS } from "../../../ui/undo.tsx";
import { SummaryButton } from "../../ai-help/index.ts";
import { useSession } from "../../auth/index.ts";
import { useConnections } from "../../connections/index.ts";
import { useQueues } from "../../queues/index.ts";
import { useCompany, useSetting } from "../../settings/index.ts";
import { stateOf, teamQuery, useLiveTeam } from "../../team/index.ts";
import { changeTicket } from "../api.ts";
import type { Leave } from "./ticket-actions.ts";
import classes from "./transfer.module.css";
import { TargetList } from "./transfer-lists.tsx";
import type { QueueHours, Target } from "./transfer-targets.ts";
import { hoursNow, queueFor, stepFrom, targetsOf } from "./transfer-targets.ts";

type Props = {
  ticket: Ticket;
  opened: boolean;
  /** Called before the ticket leaves; its result is called afterwards. */
  onLeave: () => Leave;
  onClose: () => void;
};

/** Transfers a ticket to a person or a queue: who can take it now is seen at once (spec 4, transfer; ui-2.md). */
export function TransferDialog({ ticket, opened, onLeave, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const title = (
    <span className={classes["title"]}>
      <span className="bc-fill bc-ellipsis">
        {t("tickets.transferTo.title", { name: ticket.contact.name })}
      </span>
      <span className={classes["number"]}>{t("tickets.number", { id: ticket.id })}</span>
    </span>
  );
  return (
    <DialogFrame opened={opened} onClose={onClose} size={760} title={title}>
      <TransferForm ticket={ticket} onLeave={onLeave} onClose={onClose} />
    </DialogFrame>
  );
}

const columns = ["person", "queue"] as const;
type Column = (typeof columns)[number];

function TransferForm({ ticket, onLeave, onClose }: Omit<Props, "opened">): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  const isNarrow = useMediaQuery(`(max-width: ${limits.drawerOverlayBelowPx - 1}px)`, false, {
    getInitialValueInEffect: false,
  });
  const transfer = useTransfer();
  const connections = useConnections();
  const field = useRef<HTMLInputElement>(null);
  const queueField = useRef<HTMLSelectElement>(null);
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState<Target | null>(null);
  const [column, setColumn] = useState<Column>("person");
  const [otherQueueId, setOtherQueueId] = useState<number | null>(null);
  const [connectionId, setConnectionId] = useState(ticket.whatsappId);
  const [note, setNote] = useState("");
  const [tellsCustomer, setTellsCustomer] = useState(true);
  const [missing, setMissing] = useState<"target" | "queue" | null>(null);
  const mayTell = useSetting("sendMsgTransfTicket") === "enabled" && !ticket.isGroup;
  const { lists, targetsFor, queues, error } = useTargets(ticket, words);

  const queueId = queueOf();
  function queueOf(): number | null {
    if (chosen === null) return ticket.queueId;
    if (chosen.kind === "queue") return chosen.id;
    return otherQueueId ?? queueFor(chosen.member, ticket.queueId, queues);
  }

  function choose(target: Target | null): void {
    if (target === null) return;
    setChosen(target);
    setColumn(target.kind);
    setOtherQueueId(null);
    setMissing(null);
    transfer.reset();
  }

  function search(typed: string): void {
    setWords(typed);
    if (typed.trim() === "" || !lists) return;
    const found = targetsFor(typed);
    const first = found.people[0] ?? found.queues[0];
    // The lists no longer show the target that earlier letters chose.
    if (first === undefined) setChosen(null);
    else choose(first);
  }

  function confirm(): void {
    // A second press while the first one is under way does nothing.
    if (transfer.isPending || transfer.isSuccess) return;
    if (chosen === null) {
      setMissing("target");
      field.current?.focus();
      return;
    }
    if (queueId === null) {
      setMissing("queue");
      queueField.current?.focus();
      return;
    }
    const name = nameOf(chosen);
    const leave = onLeave();
    const to = {
      ...{ queueId, userId: chosen.kind === "person" ? chosen.id : null },
      ...{ whatsappId: connectionId, note: note.trim(), tellsCustomer: tellsCustomer || !mayTell },
    };
    transfer.mutate(
      { ticketId: ticket.id, to },
      {
        onSuccess: ({ undo }) => {
          onClose();
          leave({ kind: "transferred", name, undo });
          if (!undo) notifySuccess(t("tickets.transferTo.done", { name }));
        },
      },
    );
  }

  function onFieldKey(event: KeyboardEvent<HTMLInputElement>): void {
    const { key } = event;
    if (key === "Enter") {
      event.preventDefault();
      if (!event.repeat) confirm();
      return;
    }
    const isUpOrDown = key === "ArrowUp" || key === "ArrowDown";
    // Between typed letters these keys move the caret.
    const isSideways = (key === "ArrowLeft" || key === "ArrowRight") && words === "";
    if (!lists || !(isUpOrDown || isSideways)) return;
    event.preventDefault();
    choose(stepFrom(chosen, key, lists));
  }

  /** Below what was typed, which stays as it is. */
  function addToNote(summary: string): void {
    setNote((typed) =>
      [typed.trimEnd(), summary].filter(Boolean).join("\n").slice(0, limits.noteMax),
    );
  }

  function onNoteKey(event: KeyboardEvent): void {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.repeat) return;
    event.preventDefault();
    confirm();
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    confirm();
  }

  const optionId = (target: Target): string => `${id}-${target.kind}-${target.id}`;
  const listOf = (kind: Column): ReactNode => (
    <TargetList
      id={`${id}-${kind}`}
      kind={kind}
      targets={kind === "person" ? lists?.people : lists?.queues}
      chosen={chosen}
      presentQueueId={ticket.queueId}
      optionId={optionId}
      onChoose={choose}
    />
  );
  const name = chosen === null ? null : nameOf(chosen);
  const warning = chosen === null ? null : warningOf(t, chosen);
  const failure = transfer.error ?? error;

  return (
    <form noValidate className={classes["form"]} onSubmit={submit}>
      <div className={classes["field"]}>
        <IconSearch size={16} stroke={1.7} aria-hidden="true" />
        <input
          ref={field}
          role="combobox"
          className={classes["input"]}
          aria-label={t("tickets.transferTo.find")}
          placeholder={t("tickets.transferTo.find")}
          aria-expanded="true"
          aria-controls={`${id}-person ${id}-queue`}
          aria-autocomplete="list"
          aria-activedescendant={chosen === null ? undefined : optionId(chosen)}
          aria-invalid={missing === "target" || undefined}
          autoComplete="off"
          spellCheck={false}
          value={words}
          onChange={(event) => search(event.currentTarget.value)}
          onKeyDown={onFieldKey}
          data-autofocus
        />
      </div>
      {isNarrow ? (
        <div className={classes["tabs"]} role="group" aria-label={t("tickets.transferTo.find")}>
          {columns.map((one) => (
            <button
              key={one}
              type="button"
              className={classes["tab"]}
              aria-pressed={column === one}
              onClick={() => setColumn(one)}
            >
              {t(one === "person" ? "tickets.transferTo.people" : "tickets.transferTo.queues")}
            </button>
          ))}
        </div>
      ) : null}
      {lists === undefined && error !== null ? null : (
        <div className={classes["columns"]} data-shown={isNarrow ? column : undefined}>
          {listOf("person")}
          {listOf("queue")}
        </div>
      )}
      <div className={classes["noteBox"]}>
        <div className={classes["summary"]}>
          <Suspense fallback={null}>
            <SummaryButton ticketId={ticket.id} onSummary={addToNote} />
          </Suspense>
        </div>
        <Textarea
          classNames={{ input: classes["note"] ?? "" }}
          label={
            <>
              {name === null
                ? t("tickets.transferTo.note")
                : t("tickets.transferTo.noteFor", { name: firstName(name) })}{" "}
              <span className={classes["optional"]}>{t("tickets.transferTo.noteHelp")}</span>
            </>
          }
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          onKeyDown={onNoteKey}
          maxLength={limits.noteMax}
          rows={Math.min(6, Math.max(2, note.split("\n").length))}
        />
      </div>
      <div className={classes["options"]}>
        {chosen?.kind === "queue" ? null : (
          <NativeSelect
            ref={queueField}
            label={t("tickets.queue")}
            value={queueId ?? ""}
            onChange={(event) => {
              setOtherQueueId(Number(event.currentTarget.value) || null);
              setMissing(null);
            }}
            error={missing === "queue" ? t("tickets.queueRequired") : undefined}
            data={[
              ...(queueId === null
                ? [{ value: "", label: t("tickets.transferTo.chooseQueue") }]
                : []),
              ...queues.map((queue) => ({ value: String(queue.id), label: queue.name })),
            ]}
          />
        )}
        {connections.length < 2 ? null : (
          <NativeSelect
            label={t("tickets.connection")}
            value={connectionId ?? ""}
            onChange={({ currentTarget: { value } }) =>
              setConnectionId(connections.find((one) => String(one.id) === value)?.id ?? null)
            }
            data={[
              ...(connectionId === null
                ? [{ value: "", label: t("tickets.transferTo.chooseConnection") }]
                : []),
              ...connections.map((one) => ({ value: String(one.id), label: one.name })),
            ]}
          />
        )}
        {mayTell ? (
          <Switch
            className={classes["tell"] ?? ""}
            label={t("tickets.transferTo.tell")}
            checked={tellsCustomer}
            onChange={(event) => setTellsCustomer(event.currentTarget.checked)}
          />
        ) : null}
      </div>
      <div className={classes["foot"]}>
        <div className={classes["says"]}>
          {failure === null && missing !== "target" ? null : (
            <p className="bc-failure" role="alert">
              {failure === null ? t("tickets.transferTo.choose") : errorText(t, failure)}
            </p>
          )}
          {warning === null || failure !== null ? null : (
            <p className={classes["warning"]} role="status">
              {warning}
            </p>
          )}
        </div>
        <span className={classes["keys"]} aria-hidden="true">
          <kbd>↑</kbd> <kbd>↓</kbd> {t("tickets.transferTo.keysChoose")} <kbd>Enter</kbd>{" "}
          {t("tickets.transferTo.keysConfirm")}
        </span>
        <span className={classes["buttons"]}>
          <Button className={classes["cancel"]} variant="default" onClick={onClose}>
            {t("common.cancel")}
          </Button>
          <Button type="submit" loading={transfer.isPending}>
            {submitText(t, chosen)}
          </Button>
        </span>
      </div>
    </form>
  );
}

/** People and queues that match the words, with their hours; undefined while they are read. */
function useTargets(ticket: Ticket, words: string) {
  const { user } = useSession();
  useLiveTeam();
  const { data: team, error } = useQuery(teamQuery);
  const known = useQueues();
  const hours = useSetting("scheduleType");
  const { data: company } = useCompany(user.companyId, { enabled: hours !== "disabled" });
  const nowMs = useNow(limits.timeLabelRefreshMs);
  const queues = useMemo(() => known ?? [], [known]);
  const { timeZone } = user.company;

  const targetsFor = useMemo(() => {
    const hoursOf = (queue: Queue): QueueHours => {
      if (hours === "disabled" || company === undefined) return { kind: "unchecked" };
      const days = hours === "company" ? company.schedules : queue.schedules;
      return hoursNow(days, new Date(nowMs), timeZone, company.holidays);
    };
    const of = team ?? { people: [], queues: [] };
    return (wanted: string) =>
      targetsOf(of, queues, { words: wanted, holderId: ticket.userId, hoursOf });
  }, [team, queues, hours, company, nowMs, timeZone, ticket.userId]);
  const isKnown = team !== undefined && known !== undefined;
  const lists = isKnown ? targetsFor(words) : undefined;
  return { lists, targetsFor, queues, error: isKnown ? null : error };
}

function nameOf(target: Target): string {
  return target.kind === "person" ? target.member.name : target.queue.name;
}

const firstName = (name: string): string => name.trim().split(/\s+/)[0] ?? name;

function submitText(t: TFunction, chosen: Target | null): string {
  if (chosen === null) return t("tickets.transfer");
  return chosen.kind === "person"
    ? t("tickets.transferTo.to", { name: firstName(chosen.member.name) })
    : t("tickets.transferTo.toQueue", { name: chosen.queue.name });
}

/** What happens before somebody takes it, where that is not at once. */
function warningOf(t: TFunction, chosen: Target): string | null {
  if (chosen.kind === "queue") {
    return chosen.queue.hours.kind === "closed" ? t("tickets.transferTo.closedQueue") : null;
  }
  const name = firstName(chosen.member.name);
  switch (stateOf(chosen.member)) {
    case "free":
      return null;
    case "full":
      return t("tickets.transferTo.full", { name });
    case "paused":
    case "away":
    case "offline":
      return t("tickets.transferTo.waits", { name });
  }
}

/** The target of a transfer: a queue, one of its users or none, a connection; and what is said about it. */
type TransferTarget = Readonly<{
  queueId: number;
  userId: number | null;
  whatsappId: number | null;
  /** For the colleagues who see it then; "" for none. */
  note: string;
  /** False: the customer is not told, although the company wants that. */
  tellsCustomer: boolean;
}>;

/** Transfers a ticket. Without a user it waits in the queue (spec 4, transfer). */
function useTransfer() {
  return useMutation({
    mutationFn: ({ ticketId, to }: { ticketId: number; to: TransferTarget }) =>
      changeTicket(ticketId, {
        queueId: to.queueId,
        undoSeconds: UNDO_ASKED_SECONDS,
        ...(to.userId === null ? { status: "pending", userId: null } : { userId: to.userId }),
        ...(to.whatsappId === null ? {} : { whatsappId: to.whatsappId }),
        ...(to.note === "" ? {} : { note: to.note }),
        ...(to.tellsCustomer ? {} : { tellCustomer: false }),
      }),
  });
}
