import "@mantine/core/styles/Combobox.layer.css";
import type { Ticket } from "@balcao/contract";
import { defaultTagColor, limits } from "@balcao/contract/limits";
import { Combobox, useCombobox } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ComponentProps, ComponentType, ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { notifyError } from "../../ui/index.ts";
import { matches, plain } from "../../ui/matches.ts";
import { TagMark } from "../../ui/marks.tsx";
import { saveTag, tagList } from "./api.ts";
import classes from "./tag-strip.module.css";

const CREATE = "create";

type PickerProps = {
  tags: Ticket["tags"];
  onChange: (tags: Ticket["tags"]) => void;
  /** The button that opens the choice. */
  Target: ComponentType<ComponentProps<"button">>;
};

/** Chooses the tags of a ticket or creates a new one. */
export function TagPicker({ tags, onChange, Target }: PickerProps): ReactNode {
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
  const known = useQuery({ ...tagList.query, enabled: isOpened }).data;
  const all = known ?? [];
  const shown = all.filter(({ name }) => matches(name, words));
  const isTaken = all.some(({ name }) => plain(name) === plain(words.trim()));
  const mayCreate = words.trim().length >= limits.tagNameMin && known && !isTaken;

  function choose(value: string): void {
    if (value === CREATE) {
      const values = { name: words.trim(), color: defaultTagColor, kanban: 0 };
      saveTag(null, values)
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
        <Target aria-expanded={isOpened} onClick={() => combobox.toggleDropdown()} />
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
