import "@mantine/core/styles/Combobox.layer.css";
import "@mantine/core/styles/Modal.layer.css";
import "@mantine/core/styles/ModalBase.layer.css";
import "@mantine/core/styles/Overlay.layer.css";
import { Combobox, Modal, useCombobox } from "@mantine/core";
import { useDebouncedValue, useMediaQuery, useMounted } from "@mantine/hooks";
import { IconKeyboard, IconMessage, IconSearch, IconUser } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useEffect, useState } from "react";
import { useNavigate } from "../../router/index.tsx";
import { useTranslation } from "../../i18n/index.ts";
import type { Command } from "../../ui/commands.ts";
import { useCommands } from "../../ui/commands.ts";
import { matches } from "../../ui/matches.ts";
import { plainText } from "../messages/index.ts";
import classes from "./palette.module.css";
import type { ContactRef, ListedTicket } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";

type Props = {
  isOpen: boolean;
  pages: readonly Command[];
  onClose: () => void;
  onSheet: () => void;
};

/** One line of the palette. */
type Entry = Command & { detail?: string };
type Group = { title: string; entries: readonly Entry[] };

/** Search and commands: what can be done here, where one can go, tickets and contacts. Arrows choose, Enter does. */
export function Palette({ isOpen, onClose, ...rest }: Props): ReactNode {
  const { t } = useTranslation();
  const isNarrow = useMediaQuery("(max-width: 599px)");
  const isMounted = useMounted();
  return (
    <Modal.Root
      opened={isMounted && isOpen}
      onClose={onClose}
      size={600}
      yOffset="12dvh"
      fullScreen={isNarrow ?? false}
    >
      <Modal.Overlay />
      <Modal.Content aria-label={t("palette.title")}>
        <Modal.Body className={classes["body"] ?? ""}>
          <Search onClose={onClose} {...rest} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** Mounted anew at each opening, so that it begins empty. */
function Search({ pages, onClose, onSheet }: Omit<Props, "isOpen">): ReactNode {
  const { t } = useTranslation();
  const combobox = useCombobox({ opened: true });
  const [words, setWords] = useState("");
  const { groups, isSearching } = useGroups(words, pages, onSheet);
  const entries = groups.flatMap((group) => group.entries);
  const ids = entries.map(({ id }) => id).join();
  const { selectFirstOption } = combobox;
  useEffect(() => {
    if (ids !== "") selectFirstOption();
  }, [ids, selectFirstOption]);

  function choose(id: string): void {
    const entry = entries.find((one) => one.id === id);
    if (!entry) return;
    onClose();
    // After the dialog has given the focus back, so that what is opened may take it.
    requestAnimationFrame(() => entry.run());
  }

  return (
    <Combobox store={combobox} onOptionSubmit={choose} withinPortal={false}>
      <label className={classes["search"]}>
        <IconSearch size={19} stroke={1.7} aria-hidden="true" />
        {/* The list in the dialog is always open: Esc is for the dialog. */}
        <Combobox.EventsTarget withExpandedAttribute data-mantine-stop-propagation="false">
          <input
            className={classes["field"]}
            value={words}
            placeholder={t("palette.placeholder")}
            aria-label={t("palette.title")}
            data-autofocus
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setWords(event.currentTarget.value)}
          />
        </Combobox.EventsTarget>
      </label>
      <Combobox.Options className={classes["options"] ?? ""} aria-label={t("palette.title")}>
        {groups.map((group) => (
          <Combobox.Group key={group.title} label={group.title}>
            {group.entries.map((entry) => (
              <Option key={entry.id} entry={entry} />
            ))}
          </Combobox.Group>
        ))}
        {entries.length === 0 && !isSearching ? (
          <Combobox.Empty>{t("palette.nothing", { words: words.trim() })}</Combobox.Empty>
        ) : null}
      </Combobox.Options>
      <p className={classes["state"]} role="status">
        {isSearching ? t("palette.searching") : t("palette.found", { count: entries.length })}
      </p>
    </Combobox>
  );
}

function Option({ entry }: { entry: Entry }): ReactNode {
  const { icon: EntryIcon, label, detail, keys } = entry;
  return (
    <Combobox.Option value={entry.id} className={classes["option"] ?? ""}>
      <EntryIcon size={19} stroke={1.7} aria-hidden="true" />
      <span className="bc-fill">
        <span className={classes["label"]}>{label}</span>
        {detail === undefined ? null : <span className={classes["detail"]}>{detail}</span>}
      </span>
      {keys === undefined ? null : <kbd className={classes["keys"]}>{keys}</kbd>}
    </Combobox.Option>
  );
}

function useGroups(
  words: string,
  pages: readonly Command[],
  onSheet: () => void,
): { groups: readonly Group[]; isSearching: boolean } {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const commands = useCommands();
  const { found, isSearching } = useFound(words);
  const sheet: Entry = {
    id: "sheet",
    label: t("palette.keys.sheet"),
    icon: IconKeyboard,
    keys: "?",
    run: onSheet,
  };
  const tickets = found.tickets.map((ticket): Entry => ({
    id: `ticket-${ticket.id}`,
    label: ticket.contact.name,
    detail: plainText(
      ticket.hit ? ticket.hit.before + ticket.hit.match + ticket.hit.after : ticket.lastMessage,
    ),
    icon: IconMessage,
    run: () => {
      const isWaiting = ticket.status === "pending";
      const at = ticket.hit ? `?message=${ticket.hit.messageId}` : "";
      if (isWaiting) navigate("/tickets", { state: { waitingTicketId: ticket.id } });
      else navigate(`/tickets/${ticket.uuid}${at}`);
    },
  }));
  const contacts = found.contacts.map((contact): Entry => ({
    id: `contact-${contact.id}`,
    label: contact.name,
    detail: contact.number,
    icon: IconUser,
    run: () => navigate("/tickets", { state: { newTicketWith: contact } }),
  }));
  const groups = [
    { title: t("palette.groups.here"), entries: matching(commands, words) },
    { title: t("palette.groups.tickets"), entries: tickets },
    { title: t("palette.groups.contacts"), entries: contacts },
    { title: t("palette.groups.goTo"), entries: matching([...pages, sheet], words) },
  ].filter(({ entries }) => entries.length > 0);
  return { groups, isSearching };
}

function matching(commands: readonly Command[], words: string): readonly Command[] {
  return commands.filter(({ label }) => matches(label, words));
}

/** A search from here on; shorter words are commands and pages only. */
const TERM_MIN = limits.contactSearchMin;
const FOUND_MAX = 6;

type Found = { tickets: readonly ListedTicket[]; contacts: readonly ContactRef[] };

const nothing: Found = { tickets: [], contacts: [] };

/** Tickets (by contact and by every message) and contacts in which the words stand; the last answer stays meanwhile. */
function useFound(words: string): { found: Found; isSearching: boolean } {
  const [term] = useDebouncedValue(words.trim().toLowerCase(), limits.searchDebounceMs);
  const isLongEnough = term.length >= TERM_MIN;
  const { data, isFetching } = useQuery({
    queryKey: ["palette", term],
    enabled: isLongEnough,
    queryFn: ({ signal }) => search(term, signal),
    placeholderData: keepPreviousData,
    meta: { live: false },
  });
  const isTyping = words.trim().toLowerCase() !== term;
  return {
    found: isLongEnough ? (data ?? nothing) : nothing,
    isSearching: words.trim().length >= TERM_MIN && (isFetching || isTyping),
  };
}

async function search(term: string, signal: AbortSignal): Promise<Found> {
  const query = {
    searchParam: term,
    showAll: "true",
    queueIds: undefined,
    tags: undefined,
    users: undefined,
  } as const;
  const [{ tickets }, contacts] = await Promise.all([
    call("GET /tickets", { query }, { signal }),
    call("GET /contacts/list", { query: { name: term } }, { signal }),
  ]);
  return { tickets: tickets.slice(0, FOUND_MAX), contacts: contacts.slice(0, FOUND_MAX) };
}
