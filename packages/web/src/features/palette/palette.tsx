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
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
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

type Entry = Command & { detail?: string };
type Group = { title: string; entries: readonly Entry[] };

/** Search over commands, pages, tickets and contacts. Arrows choose, Enter runs. */
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

/** Mounted at each opening, so that it starts empty. */
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
    // The dialog returns the focus first, so that an opened field can take it.
    requestAnimationFrame(() => entry.run());
  }

  return (
    <Combobox store={combobox} onOptionSubmit={choose} withinPortal={false}>
      <label className={classes["search"]}>
        <IconSearch size={19} stroke={1.7} aria-hidden="true" />
        {/* The list is always open, so Escape closes the dialog. */}
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

/** Shorter words search only commands and pages. */
const TERM_MIN = limits.contactSearchMin;
const FOUND_MAX = 6;

type Found = { tickets: readonly ListedTicket[]; contacts: readonly ContactRef[] };

const nothing: Found = { tickets: [], contacts: [] };

/** Tickets (by contact and message) and contacts that match; the last result stays while a new one loads. */
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
    call("GET /contacts/list", { query: { name: term, limit: FOUND_MAX } }, { signal }),
  ]);
  return { tickets: tickets.slice(0, FOUND_MAX), contacts };
}

/** The list of all keyboard shortcuts. */
export function ShortcutSheet({ isOpen, onClose }: Pick<Props, "isOpen" | "onClose">): ReactNode {
  const { t } = useTranslation();
  return (
    <DialogFrame opened={isOpen} onClose={onClose} title={t("palette.sheetTitle")} size={640}>
      <div className={classes["groups"]}>
        {shortcutGroups.map(({ title, rows }) => (
          <section key={title}>
            <h3 className={classes["title"]}>{t(title)}</h3>
            <dl className={classes["rows"]}>
              {rows.map(({ keys, label }) => (
                <div key={label} className={classes["row"]}>
                  <dt className={classes["shortcutKeys"]}>
                    {keys.map((key) => (
                      <kbd key={key} className={classes["key"]}>
                        {key}
                      </kbd>
                    ))}
                  </dt>
                  <dd className={classes["shortcutLabel"]}>{t(label)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </DialogFrame>
  );
}

/** All keyboard shortcuts by subject (ui.md section 4). */
const shortcutGroups = [
  {
    title: "palette.groups.everywhere",
    rows: [
      { keys: ["Ctrl K"], label: "palette.keys.palette" },
      { keys: ["?"], label: "palette.keys.sheet" },
      { keys: ["Esc"], label: "palette.keys.escape" },
      { keys: ["Tab"], label: "palette.keys.skip" },
    ],
  },
  {
    title: "palette.groups.list",
    rows: [
      { keys: ["Alt ↓", "Alt ↑"], label: "palette.keys.step" },
      { keys: ["Alt 1", "Alt 2", "Alt 3"], label: "palette.keys.tabs" },
      { keys: ["↑", "↓", "Home", "End"], label: "palette.keys.move" },
      { keys: ["X", "Shift ↓", "Shift ↑"], label: "palette.keys.choose" },
      { keys: ["Alt A"], label: "palette.keys.accept" },
    ],
  },
  {
    title: "palette.groups.ticket",
    rows: [
      { keys: ["Alt R"], label: "palette.keys.resolve" },
      { keys: ["Alt T"], label: "palette.keys.transfer" },
      { keys: ["Alt I"], label: "palette.keys.contact" },
      { keys: ["Alt S"], label: "palette.keys.schedule" },
      { keys: ["Ctrl F"], label: "palette.keys.find" },
      { keys: ["R"], label: "palette.keys.reply" },
      { keys: ["M"], label: "palette.keys.menu" },
    ],
  },
  {
    title: "palette.groups.composer",
    rows: [
      { keys: ["Enter", "Ctrl Enter"], label: "palette.keys.send" },
      { keys: ["Shift Enter"], label: "palette.keys.newLine" },
      { keys: ["↑"], label: "palette.keys.editLast" },
      { keys: ["/"], label: "palette.keys.quickReplies" },
      { keys: ["Alt N"], label: "palette.keys.note" },
    ],
  },
] as const;
