import "@mantine/core/styles/Combobox.layer.css";
import "@mantine/core/styles/ScrollArea.layer.css";
import type { Colleague, Queue, Ticket } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "../../../api/client.ts";
import type { FormEvent, ReactNode } from "react";
import { useRef, useState } from "react";
import { useTranslation } from "../../../i18n/index.ts";
import { Button } from "../../../ui/button.tsx";
import { DialogFrame } from "../../../ui/dialogs/dialog-frame.tsx";
import { errorText, notifySuccess } from "../../../ui/index.ts";
import { matchingOptions } from "../../../ui/matches.ts";
import { useConnections } from "../../connections/index.ts";
import { useQueues } from "../../queues/index.ts";
import classes from "./dialog.module.css";
import type { Leave } from "./ticket-actions.ts";
import { useTransfer } from "./ticket-actions.ts";

/** Users change rarely: a search is cached for this long. */
const COLLEAGUES_FRESH_MS = 60_000;

type Props = {
  ticket: Ticket;
  opened: boolean;
  /** Called before the ticket leaves; its result is called afterwards. */
  onLeave: () => Leave;
  onClose: () => void;
};

/** Transfers a ticket to a queue, and to a colleague in it if one is chosen (spec 4, transfer). */
export function TransferDialog({ ticket, opened, onLeave, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <DialogFrame
      opened={opened}
      onClose={onClose}
      title={t("tickets.transferTo.title", { name: ticket.contact.name })}
    >
      <TransferForm ticket={ticket} onLeave={onLeave} onClose={onClose} />
    </DialogFrame>
  );
}

function TransferForm({ ticket, onLeave, onClose }: Omit<Props, "opened">): ReactNode {
  const { t } = useTranslation();
  const transfer = useTransfer();
  const queues = useQueues();
  const connections = useConnections();
  const queueRef = useRef<HTMLInputElement>(null);
  const [colleague, setColleague] = useState<Colleague | null>(null);
  const [queueId, setQueueId] = useState<string | null>(null);
  const [connectionId, setConnectionId] = useState(idText(ticket.whatsappId));
  const [isQueueMissing, setQueueMissing] = useState(false);
  const queue = queues?.find(({ id }) => String(id) === queueId);

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!queue) {
      setQueueMissing(true);
      queueRef.current?.focus();
      return;
    }
    const leave = onLeave();
    const whatsappId = Number(connectionId) || ticket.whatsappId;
    const to = { queueId: queue.id, userId: colleague?.id ?? null, whatsappId };
    transfer.mutate(
      { ticketId: ticket.id, to },
      {
        onSuccess: ({ undo }) => {
          const name = colleague?.name ?? queue.name;
          onClose();
          leave({ kind: "transferred", name, undo });
          if (!undo) notifySuccess(t("tickets.transferTo.done", { name }));
        },
      },
    );
  }

  return (
    <form noValidate className={classes["form"]} onSubmit={submit}>
      <ColleagueSelect chosen={colleague} onChoose={setColleague} />
      <Select
        ref={queueRef}
        label={t("tickets.queue")}
        data={queueChoices(queues ?? [], colleague, {
          own: (name) => t("tickets.transferTo.queuesOf", { name }),
          others: t("tickets.transferTo.otherQueues"),
        })}
        value={queueId}
        onChange={(value) => {
          setQueueId(value);
          setQueueMissing(false);
        }}
        error={isQueueMissing ? t("tickets.queueRequired") : undefined}
        searchable
        filter={matchingOptions}
        required
        nothingFoundMessage={t(queues === undefined ? "common.loading" : "tickets.search.noOption")}
      />
      <Select
        label={t("tickets.connection")}
        data={connections.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={connectionId}
        onChange={setConnectionId}
        allowDeselect={false}
      />
      {transfer.error === null ? null : (
        <p className={classes["failure"]} role="alert">
          {errorText(t, transfer.error)}
        </p>
      )}
      <div className={classes["actions"]}>
        <Button variant="default" onClick={onClose}>
          {t("common.cancel")}
        </Button>
        <Button type="submit" loading={transfer.isPending}>
          {t("tickets.transfer")}
        </Button>
      </div>
    </form>
  );
}

type ColleagueProps = {
  chosen: Colleague | null;
  onChoose: (colleague: Colleague | null) => void;
};

function ColleagueSelect({ chosen, onChoose }: ColleagueProps): ReactNode {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const [name] = useDebouncedValue(typed, limits.searchDebounceMs);
  const { data: found = [], isFetching } = useColleagues(name);
  const isAsked = typed.trim().length >= limits.userSearchMin;
  const isChosenName = chosen?.name === typed;
  const listed = isAsked && !isChosenName ? found : [];
  const all = chosen && !listed.some(({ id }) => id === chosen.id) ? [chosen, ...listed] : listed;
  const isWaiting = isFetching || typed !== name;
  return (
    <Select
      label={t("tickets.transferTo.user")}
      description={t("tickets.transferTo.userHelp")}
      inputWrapperOrder={["label", "input", "description"]}
      data={all.map((one) => ({ value: String(one.id), label: one.name }))}
      value={idText(chosen?.id ?? null)}
      onChange={(value) => onChoose(all.find(({ id }) => String(id) === value) ?? null)}
      searchable
      clearable
      clearButtonProps={{ "aria-label": t("tickets.transferTo.noUser") }}
      onSearchChange={setTyped}
      filter={({ options }) => options}
      nothingFoundMessage={
        isAsked && !isWaiting ? t("tickets.search.noOption") : t("tickets.transferTo.userHelp")
      }
      renderOption={({ option }) => {
        const one = all.find(({ id }) => String(id) === option.value);
        return (
          <span className={classes["option"]}>
            {option.label}
            {one?.online === true ? (
              <span className={classes["meta"]}>{t("tickets.transferTo.online")}</span>
            ) : null}
          </span>
        );
      }}
      data-autofocus
    />
  );
}

/** Colleagues by a part of their name, from 3 characters on. */
function useColleagues(name: string) {
  const searchParam = name.trim().toLowerCase();
  return useQuery({
    queryKey: ["tickets", "choices", "colleagues", searchParam],
    queryFn: ({ signal }) => call("GET /users", { query: { searchParam } }, { signal }),
    select: ({ users }) => users,
    enabled: searchParam.length >= limits.userSearchMin,
    placeholderData: keepPreviousData,
    staleTime: COLLEAGUES_FRESH_MS,
  });
}

function idText(id: number | null): string | null {
  return id === null ? null : String(id);
}

type Choice = { value: string; label: string };

/** The target queues of a transfer; those of the chosen colleague first. */
export function queueChoices(
  queues: readonly Queue[],
  colleague: Colleague | null,
  names: { own: (name: string) => string; others: string },
): (Choice | { group: string; items: Choice[] })[] {
  const ownIds = new Set(colleague?.queues.map(({ id }) => id));
  const own = queues.filter(({ id }) => ownIds.has(id)).map(choiceOf);
  if (colleague === null || own.length === 0) return queues.map(choiceOf);
  const others = queues.filter(({ id }) => !ownIds.has(id)).map(choiceOf);
  const first = { group: names.own(colleague.name), items: own };
  return others.length === 0 ? [first] : [first, { group: names.others, items: others }];
}

function choiceOf({ id, name }: Queue): Choice {
  return { value: String(id), label: name };
}
