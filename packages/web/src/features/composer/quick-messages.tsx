import type { QuickMessage } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { renderVariables } from "@balcao/contract/message-variables";
import { IconPaperclip } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { KeyboardEvent, ReactNode, Ref } from "react";
import { useEffect, useId, useImperativeHandle, useMemo, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { errorText } from "../../ui/index.ts";
import { plain } from "../../ui/matches.ts";
import { epochMs } from "../../ui/clock.ts";
import { useSession } from "../auth/index.ts";
import { FormattedText } from "../messages/index.ts";
import { foldersOf, quickMessageList } from "../quick-messages/index.ts";
import { OptionList, optionId, useActiveOption } from "./option-list.tsx";
import classes from "./quick-messages.module.css";

type Props = { onPick: (option: QuickMessage) => void };

/** All quick messages with a search, opened by the composer's button. */
export function QuickMessagePicker({ onPick }: Props): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  const [term, setTerm] = useState("");
  const { matches, isPending, error } = useQuickMessages(term);
  const active = useActiveOption(term, matches.length);
  const option = matches[active.index];

  function onKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return;
    const isTaken = active.takeKey(event.key);
    if (!isTaken && event.key !== "Enter") return;
    event.preventDefault();
    if (event.key === "Enter" && option) onPick(option);
  }

  return (
    <div className="bc-column">
      <input
        className={classes["search"]}
        role="combobox"
        autoFocus
        value={term}
        placeholder={t("composer.quickSearch")}
        aria-label={t("composer.quickSearch")}
        aria-expanded={matches.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={option ? optionId(id, option.id) : undefined}
        onChange={(event) => setTerm(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {matches.length === 0 ? (
        <p className={classes["empty"]} role="status">
          {emptyText()}
        </p>
      ) : (
        <QuickMessageOptions
          id={id}
          options={matches}
          activeIndex={active.index}
          onPick={onPick}
          onPoint={active.point}
        />
      )}
    </div>
  );

  function emptyText(): string {
    if (isPending) return t("common.loading");
    if (error !== null) return errorText(t, error);
    return term.trim() === ""
      ? t("composer.quickEmpty")
      : t("composer.quickNone", { term: term.trim() });
  }
}

export type SuggestionsHandle = {
  /** True if the suggestions handled the key. */
  takeKey: (key: string) => boolean;
};

type SuggestionsProps = {
  ref: Ref<SuggestionsHandle>;
  id: string;
  term: string;
  /** Fills the variables of the preview. */
  contactName: string;
  onPick: (option: QuickMessage) => void;
  onClose: () => void;
  /** The id of the marked option, for the field's `aria-activedescendant`; null without suggestions. */
  onActive: (id: string | null) => void;
};

/**
 * The suggestions above the composer while a `/term` is typed, the marked one with a preview beside them. After the slash
 * alone they are all there, by folder.
 */
export function Suggestions(props: SuggestionsProps): ReactNode {
  const { ref, id, term, contactName, onPick, onClose, onActive } = props;
  const { t } = useTranslation();
  const found = useQuickMessages(term);
  const folders = useMemo(() => foldersOf(found.matches), [found.matches]);
  const [folder, setFolder] = useState<string | null>(null);
  const shownFolder = folder !== null && folders.includes(folder) ? folder : null;
  const matches = useMemo(
    () => found.matches.filter((one) => shownFolder === null || one.folder === shownFolder),
    [found.matches, shownFolder],
  );
  const active = useActiveOption(`${term} ${shownFolder}`, matches.length);
  const option = matches[active.index];
  const activeId = option ? optionId(id, option.id) : null;

  useEffect(() => onActive(activeId), [activeId, onActive]);
  useEffect(() => () => onActive(null), [onActive]);
  useImperativeHandle(ref, () => ({
    takeKey(key) {
      if (!option) return false;
      if (key === "Escape") {
        onClose();
        return true;
      }
      if (key === "Enter" || key === "Tab") {
        onPick(option);
        return true;
      }
      // The caret stands behind the slash: there is nowhere else to go.
      if (term === "" && (key === "ArrowLeft" || key === "ArrowRight") && folders.length > 0) {
        const all = [null, ...folders];
        const step = key === "ArrowRight" ? 1 : all.length - 1;
        setFolder(all[(all.indexOf(shownFolder) + step) % all.length] ?? null);
        return true;
      }
      return active.takeKey(key);
    },
  }));

  return (
    <>
      <span className="bc-hidden-text" role="status">
        {matches.length === 0 ? "" : t("composer.quickCount", { count: matches.length })}
      </span>
      {matches.length === 0 ? null : (
        <div className={classes["box"]}>
          {folders.length === 0 ? null : (
            <Folders folders={folders} chosen={shownFolder} onChoose={setFolder} />
          )}
          <div className={classes["columns"]}>
            <QuickMessageOptions
              id={id}
              options={matches}
              activeIndex={active.index}
              onPick={onPick}
              onPoint={active.point}
            />
            {option ? <Preview option={option} contactName={contactName} /> : null}
          </div>
        </div>
      )}
    </>
  );
}

type FoldersProps = {
  folders: readonly string[];
  chosen: string | null;
  onChoose: (folder: string | null) => void;
};

/** The folders of the found quick messages; the field keeps the focus. */
function Folders({ folders, chosen, onChoose }: FoldersProps): ReactNode {
  const { t } = useTranslation();
  return (
    <div className={classes["folders"]} role="group" aria-label={t("quickMessages.folder")}>
      {[null, ...folders].map((folder) => (
        <button
          key={folder ?? ""}
          type="button"
          className="bc-chip"
          tabIndex={-1}
          aria-pressed={folder === chosen}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(folder)}
        >
          {folder ?? t("composer.quickAll")}
        </button>
      ))}
    </div>
  );
}

/** The text as this customer would read it. */
function Preview({
  option,
  contactName,
}: {
  option: QuickMessage;
  contactName: string;
}): ReactNode {
  const { t } = useTranslation();
  const { timeZone } = useSession().user.company;
  const now = new Date(epochMs());
  const text = renderVariables(option.message, { contactName, now, timeZone });
  return (
    <div className={classes["preview"]} aria-hidden="true">
      <p className={classes["previewText"]}>
        <FormattedText text={text} />
      </p>
      <p className="bc-meta">
        {[
          option.folder,
          option.mediaName,
          option.usedCount > 0 ? t("composer.quickUsed", { count: option.usedCount }) : "",
        ]
          .filter(Boolean)
          .join(" · ")}
      </p>
    </div>
  );
}

type OptionsProps = {
  id: string;
  options: readonly QuickMessage[];
  activeIndex: number;
  onPick: (option: QuickMessage) => void;
  onPoint: (index: number) => void;
};

function QuickMessageOptions(props: OptionsProps): ReactNode {
  const { t } = useTranslation();
  return (
    <OptionList
      {...props}
      label={t("composer.quick")}
      keyOf={({ id }) => id}
      titleOf={({ message }) => message}
      renderOption={(option) => (
        <>
          <span className="bc-fill bc-ellipsis">{quickMessageLabel(option)}</span>
          {option.mediaPath === null ? null : (
            <IconPaperclip size={15} stroke={1.7} role="img" aria-label={t("composer.quickFile")} />
          )}
        </>
      )}
    />
  );
}

const none: readonly QuickMessage[] = [];

/** The matching quick messages; cached ones are shown at once. */
function useQuickMessages(term: string): {
  matches: readonly QuickMessage[];
  isPending: boolean;
  error: unknown;
} {
  const { data = none, isPending, error } = useQuery({ ...quickMessageList.query, staleTime: 0 });
  const matches = useMemo(() => matchingQuickMessages(data, term), [data, term]);
  return { matches, isPending, error };
}

/** The largest number of suggestions; a longer term finds the others. */
const OFFERED_MAX = 50;

/** `shortcode - message` on one line, cut at 35 characters (spec 2, message input). */
export function quickMessageLabel({ shortcode, message }: QuickMessage): string {
  const label = Array.from(`${shortcode} - ${message}`.replaceAll(/\s+/g, " ").trim());
  if (label.length <= limits.quickReplyLabelMax) return label.join("");
  return `${label.slice(0, limits.quickReplyLabelMax).join("")}…`;
}

/**
 * The quick messages with `term` in shortcode or text, ignoring accents; shortcode matches first, then the most used. An
 * empty term finds all.
 */
export function matchingQuickMessages(
  all: readonly QuickMessage[],
  term: string,
): readonly QuickMessage[] {
  const wanted = plain(term.trim());
  const ranked = all
    .filter((one) => one.status)
    .map((one) => ({ one, rank: rankOf(one, wanted) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY);
  return ranked
    .toSorted((a, b) => a.rank - b.rank || b.one.usedCount - a.one.usedCount)
    .slice(0, OFFERED_MAX)
    .map(({ one }) => one);
}

function rankOf({ shortcode, message }: QuickMessage, wanted: string): number {
  const code = plain(shortcode);
  if (code.startsWith(wanted)) return 0;
  if (code.includes(wanted)) return 1;
  return plain(message).includes(wanted) ? 2 : Number.POSITIVE_INFINITY;
}
