import type { ContactRef, Message } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { useDebouncedValue } from "@mantine/hooks";
import { IconArrowForwardUp, IconX } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { useEffect, useMemo, useRef, useState } from "react";
import { call } from "../../../api/client.ts";
import { randomUuid } from "../../../api/random-uuid.ts";
import { useLanguage, useTranslation } from "../../../i18n/index.ts";
import { localeTags } from "../../../i18n/languages.ts";
import { Button } from "../../../ui/button.tsx";
import { FormDialog } from "../../../ui/dialogs/form-dialog.tsx";
import { AppAvatar, errorText, IconButton, notifySuccess } from "../../../ui/index.ts";
import { formatPhone } from "../../../ui/phone-number.ts";
import { matches } from "../../../ui/matches.ts";
import { useSession } from "../../auth/index.ts";
import { forwardTo } from "../api.ts";
import { selectMessages, useSelection } from "../list/conversation.ts";
import classes from "./forwarding.module.css";

type BarProps = {
  ticketId: number;
  /** The loaded messages: only they can be chosen. */
  messages: readonly Message[];
  onForward: (messages: readonly Message[]) => void;
};

/** What can be done with the chosen messages; Escape leaves the selection. */
export function SelectionBar({ ticketId, messages, onForward }: BarProps): ReactNode {
  const { t } = useTranslation();
  const ids = useSelection(ticketId);
  const chosen = messages.filter(({ id }) => ids?.has(id));
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      if (document.querySelector('[role="dialog"][aria-modal="true"]')) return;
      selectMessages(ticketId, null);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [ticketId]);
  return (
    <div className={classes["bar"]} role="toolbar" aria-label={t("messages.selectMore")}>
      <IconButton
        icon={IconX}
        label={t("messages.selectEnd")}
        shortcut="Esc"
        onClick={() => selectMessages(ticketId, null)}
      />
      <span className="bc-fill" role="status">
        {t("messages.selected", { count: chosen.length })}
      </span>
      <Button
        size="xs"
        disabled={chosen.length === 0}
        leftSection={<IconArrowForwardUp size={15} stroke={1.7} aria-hidden="true" />}
        onClick={() => onForward(chosen)}
      >
        {t("messages.forward")}
      </Button>
    </div>
  );
}

type Target = Pick<ContactRef, "id" | "name" | "number">;

/** Contacts to whom messages are forwarded at once. */
const TARGETS_MAX = 5;
const CONTACTS_LISTED = 20;

type DialogProps = { ticketId: number; messages: readonly Message[]; onClose: () => void };

/** Chooses the contacts and forwards the messages to each. Contacts that were served are not sent to again. */
export function ForwardDialog({ ticketId, messages, onClose }: DialogProps): ReactNode {
  const { t } = useTranslation();
  const { user } = useSession();
  const language = useLanguage();
  const [term, setTerm] = useState("");
  const [chosen, setChosen] = useState<readonly Target[]>([]);
  const [isSigned, setSigned] = useState(
    () => localStorage.getItem(`balcao.sign.${user.id}`) !== "off",
  );
  const [isBusy, setBusy] = useState(false);
  const [failures, setFailures] = useState<readonly string[]>([]);
  const clientIds = useClientIds(messages);
  const done = useRef<string[]>([]);
  const { mine, contacts, isPending } = useTargets(term);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isBusy) return;
    if (chosen.length === 0) {
      setFailures([t("messages.forwardMost", { count: TARGETS_MAX })]);
      return;
    }
    setBusy(true);
    const failed: { target: Target; text: string }[] = [];
    for (const target of chosen) {
      try {
        // One after the other, so that each conversation has them in order.
        // oxlint-disable-next-line no-await-in-loop
        await forwardTo(target.id, messages, {
          clientIds: clientIds(target.id),
          signMessage: isSigned,
        });
        done.current.push(target.name);
      } catch (error) {
        const { name } = target;
        const text = t("messages.forwardFailed", { name, reason: errorText(t, error) });
        failed.push({ target, text });
      }
    }
    setBusy(false);
    setChosen(failed.map(({ target }) => target));
    setFailures(failed.map(({ text }) => text));
    if (failed.length > 0) return;
    const names = new Intl.ListFormat(localeTags[language]).format(done.current);
    notifySuccess(t("messages.forwardDone", { count: messages.length, names }));
    selectMessages(ticketId, null);
    onClose();
  }

  const toggle = (target: Target): void => {
    setFailures([]);
    setChosen((known) =>
      known.some(({ id }) => id === target.id)
        ? known.filter(({ id }) => id !== target.id)
        : [...known, target].slice(0, TARGETS_MAX),
    );
  };
  const list = (title: string, targets: readonly Target[]): ReactNode =>
    targets.length === 0 ? null : (
      <fieldset className={classes["group"]}>
        <legend className={classes["title"]}>{title}</legend>
        {targets.map((target) => {
          const isChosen = chosen.some(({ id }) => id === target.id);
          return (
            <label key={target.id} className={classes["target"]}>
              <input
                type="checkbox"
                checked={isChosen}
                disabled={!isChosen && chosen.length === TARGETS_MAX}
                onChange={() => toggle(target)}
              />
              <AppAvatar name={target.name} id={target.id} size={30} />
              <span className="bc-ellipsis">{target.name}</span>
              <span className="bc-meta bc-numbers">{formatPhone(target.number)}</span>
            </label>
          );
        })}
      </fieldset>
    );
  const isEmpty = !isPending && mine.length === 0 && contacts.length === 0 && term.trim() !== "";
  // A chosen contact stays in view when the search changes.
  const shownIds = new Set([...mine, ...contacts].map(({ id }) => id));
  const kept = chosen.filter(({ id }) => !shownIds.has(id));
  return (
    <FormDialog
      title={t("messages.forwardTitle", { count: messages.length })}
      submitLabel={t("messages.forward")}
      isBusy={isBusy}
      error={failures.length === 0 ? null : failures.join(" ")}
      onSubmit={(event) => void submit(event)}
      onClose={onClose}
    >
      <input
        className={classes["search"]}
        type="search"
        data-autofocus
        value={term}
        placeholder={t("messages.forwardSearch")}
        aria-label={t("messages.forwardSearch")}
        onChange={(event) => setTerm(event.currentTarget.value)}
      />
      <div className={classes["targets"]}>
        {list(t("messages.forwardMost", { count: TARGETS_MAX }), kept)}
        {list(t("messages.forwardMine"), mine)}
        {list(t("messages.forwardContacts"), contacts)}
        {isEmpty ? (
          <p className="bc-small" role="status">
            {t("messages.forwardNone", { term: term.trim() })}
          </p>
        ) : null}
      </div>
      <label className={classes["sign"]}>
        <input
          type="checkbox"
          checked={isSigned}
          onChange={(event) => setSigned(event.currentTarget.checked)}
        />
        {t("messages.forwardSign")}
      </label>
    </FormDialog>
  );
}

/** The client ids of the messages for each contact: the same at a second attempt. */
function useClientIds(messages: readonly Message[]): (contactId: number) => readonly string[] {
  const known = useRef(new Map<number, readonly string[]>());
  return (contactId) => {
    const ids = known.current.get(contactId) ?? messages.map(() => randomUuid());
    known.current.set(contactId, ids);
    return ids;
  };
}

/** The user's own conversations, and the company's contacts: the first ones, from three letters on those with the words. */
function useTargets(term: string): { mine: Target[]; contacts: Target[]; isPending: boolean } {
  const [name] = useDebouncedValue(term.trim(), limits.searchDebounceMs);
  const isAsked = name === "" || name.length >= limits.contactSearchMin;
  const own = useQuery({
    queryKey: ["messages", "forward", "own"],
    queryFn: ({ signal }) => {
      const query = {
        status: "open",
        queueIds: undefined,
        tags: undefined,
        users: undefined,
      } as const;
      return call("GET /tickets", { query }, { signal });
    },
  });
  const found = useQuery({
    queryKey: ["messages", "forward", "contacts", name],
    queryFn: ({ signal }) =>
      call("GET /contacts/list", { query: { name, limit: CONTACTS_LISTED } }, { signal }),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  });
  return useMemo(() => {
    const mine = (own.data?.tickets ?? [])
      .map(({ contact }) => contact)
      .filter((contact) => matches(`${contact.name} ${contact.number}`, term));
    const ownIds = new Set(mine.map(({ id }) => id));
    // What the server has found for these words stays; the first contacts are searched here.
    const isFound = (contact: Target): boolean =>
      (isAsked && name !== "") || matches(`${contact.name} ${contact.number}`, term);
    const contacts = (found.data ?? []).filter(
      (contact) => !ownIds.has(contact.id) && isFound(contact),
    );
    const isPending = own.isPending || (isAsked && found.isFetching) || term.trim() !== name;
    return { mine, contacts, isPending };
  }, [own.data, own.isPending, found.data, found.isFetching, isAsked, term, name]);
}
