import "@mantine/core/styles/Combobox.layer.css";
import type { Ticket } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { Combobox, useCombobox } from "@mantine/core";
import { IconCheck, IconPlus, IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { notifyError } from "../../ui/index.ts";
import { matches, plain } from "../../ui/matches.ts";
import { TagMark } from "../../ui/tag-mark.tsx";
import { saveTag } from "./api.ts";
import { DEFAULT_TAG_COLOR } from "./tag-colors.ts";
import classes from "./tag-strip.module.css";
import { useAllTags, useTicketTags } from "./ticket-tags.ts";

type Props = { ticket: Pick<Ticket, "id" | "tags"> };

const CREATE = "create";

/** The tags of a ticket, each removable, and the way to add more or make a new one (39 px, below the header). */
export function TagStrip({ ticket }: Props): ReactNode {
  const { t } = useTranslation();
  const { tags, change } = useTicketTags(ticket);
  return (
    <div className={classes["strip"]} role="group" aria-label={t("tags.ofTicket")}>
      {tags.map((tag) => (
        <span key={tag.id} className={classes["tag"]}>
          <TagMark name={tag.name} color={tag.color} />
          <button
            type="button"
            className={classes["remove"]}
            aria-label={t("tags.remove", { name: tag.name })}
            onClick={() => change(tags.filter(({ id }) => id !== tag.id))}
          >
            <IconX size={13} stroke={1.9} aria-hidden="true" />
          </button>
        </span>
      ))}
      <TagPicker tags={tags} onChange={change} />
    </div>
  );
}

type PickerProps = { tags: Ticket["tags"]; onChange: (tags: Ticket["tags"]) => void };

function TagPicker({ tags, onChange }: PickerProps): ReactNode {
  const { t } = useTranslation();
  const [words, setWords] = useState("");
  const [isOpened, setOpened] = useState(false);
  const combobox = useCombobox({
    opened: isOpened,
    onOpenedChange: setOpened,
    onDropdownOpen: () => combobox.focusSearchInput(),
    onDropdownClose: () => {
      setWords("");
      combobox.focusTarget();
    },
  });
  const known = useAllTags(isOpened);
  const all = known ?? [];
  const shown = all.filter(({ name }) => matches(name, words));
  const isTaken = all.some(({ name }) => plain(name) === plain(words.trim()));
  const mayCreate = words.trim().length >= limits.tagNameMin && known && !isTaken;

  function choose(value: string): void {
    if (value === CREATE) {
      const values = { name: words.trim(), color: DEFAULT_TAG_COLOR, kanban: false };
      saveTag(null, values, [])
        .then((tag) => onChange([...tags, tag]))
        .catch(notifyError);
      combobox.closeDropdown();
      return;
    }
    const tag = all.find(({ id }) => String(id) === value);
    if (!tag) return;
    const has = tags.some(({ id }) => id === tag.id);
    onChange(has ? tags.filter(({ id }) => id !== tag.id) : [...tags, tag]);
  }

  return (
    <Combobox store={combobox} width={240} position="bottom-start" onOptionSubmit={choose}>
      <Combobox.Target withAriaAttributes={false}>
        <button
          type="button"
          className={classes["add"]}
          aria-haspopup="listbox"
          aria-expanded={isOpened}
          onClick={() => combobox.toggleDropdown()}
        >
          <IconPlus size={13} stroke={1.9} aria-hidden="true" />
          {t("tags.addToTicket")}
        </button>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          value={words}
          maxLength={limits.nameMax}
          placeholder={t("tags.find")}
          aria-label={t("tags.find")}
          onChange={(event) => {
            setWords(event.currentTarget.value);
            combobox.updateSelectedOptionIndex();
          }}
        />
        <Combobox.Options className={classes["options"] ?? ""} aria-label={t("tags.title")}>
          {shown.map((tag) => (
            <Combobox.Option
              key={tag.id}
              value={String(tag.id)}
              className={classes["option"] ?? ""}
            >
              <TagMark name={tag.name} color={tag.color} />
              {tags.some(({ id }) => id === tag.id) ? (
                <IconCheck size={15} stroke={1.9} aria-label={t("tags.chosen")} />
              ) : null}
            </Combobox.Option>
          ))}
          {mayCreate ? (
            <Combobox.Option value={CREATE} className={classes["option"] ?? ""}>
              {t("tags.create", { name: words.trim() })}
            </Combobox.Option>
          ) : null}
          {shown.length === 0 && !mayCreate ? (
            <Combobox.Empty>
              {t(known === undefined ? "common.loading" : "tags.findNothing")}
            </Combobox.Empty>
          ) : null}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
