import { limits } from "@balcao/contract/limits";
import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconUserPlus } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useContacts } from "./choices.ts";
import classes from "./dialog.module.css";
import type { Person } from "./new-ticket.ts";

type Props = {
  chosen: Person | null;
  error: string | undefined;
  onChoose: (contact: Person | null) => void;
  /** Somebody with this name or number is to become a contact. */
  onCreate: (typed: string) => void;
};

const CREATE = "create";

/** Finds a contact by name or number, from 3 characters on; whom nobody knows can be added. */
export function ContactSelect({ chosen, error, onChoose, onCreate }: Props): ReactNode {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(chosen?.name ?? "");
  const [asked] = useDebouncedValue(typed, limits.searchDebounceMs);
  const { data = [], isFetching, isPlaceholderData } = useContacts(asked);
  const words = typed.trim();
  const isChosenName = chosen !== null && chosen.name === typed;
  const isSearching = words.length >= limits.contactSearchMin && !isChosenName;
  const isSettled = isSearching && asked === typed && !isFetching && !isPlaceholderData;
  const found = isSearching ? data : [];
  const contacts = chosen && !found.some(({ id }) => id === chosen.id) ? [chosen, ...found] : found;
  const options = contacts.map(({ id, name }) => ({ value: String(id), label: name }));
  const create = { value: CREATE, label: t("tickets.new.create", { text: words }) };
  return (
    <Select
      name="contact"
      data-field="contact"
      label={t("tickets.new.contact")}
      placeholder={t("tickets.new.contactPlaceholder")}
      data={isSettled ? [...options, create] : options}
      value={chosen === null ? null : String(chosen.id)}
      onChange={(value) => {
        if (value === CREATE) onCreate(words);
        else onChoose(contacts.find(({ id }) => String(id) === value) ?? null);
      }}
      onSearchChange={setTyped}
      filter={({ options: all }) => all}
      renderOption={({ option }) => {
        if (option.value === CREATE) {
          return (
            <span className={classes["create"]}>
              <IconUserPlus size={15} stroke={1.7} aria-hidden="true" />
              {option.label}
            </span>
          );
        }
        const contact = contacts.find(({ id }) => String(id) === option.value);
        return (
          <span className={classes["option"]}>
            {option.label}
            <span className={classes["meta"]}>{contact?.number}</span>
          </span>
        );
      }}
      nothingFoundMessage={isSearching ? t("common.loading") : t("tickets.new.contactHelp")}
      error={error}
      searchable
      // A known contact needs no list, which would take the first Escape.
      openOnFocus={chosen === null}
      clearable
      clearButtonProps={{ "aria-label": t("tickets.new.clearContact") }}
      required
      data-autofocus
    />
  );
}
