import type { ContactRef } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode, Ref } from "react";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { formatPhone } from "../../ui/phone-number.ts";

export type Person = { id: number; name: string; number?: string };

type Props = {
  chosen: Person | null;
  onChoose: (person: Person | null) => void;
  inputRef?: Ref<HTMLInputElement>;
  error?: string | undefined;
  /** Instead of a field of a form: it can be empty. */
  isFilter?: boolean;
};

/** Finds a contact by name or number, from 3 characters on. */
export function ContactSelect(props: Props): ReactNode {
  const { chosen, onChoose, inputRef, error, isFilter = false } = props;
  const { t } = useTranslation();
  const [typed, setTyped] = useState(chosen?.name ?? "");
  const { data = [], isSearching } = useFoundContacts(chosen?.name === typed ? "" : typed);
  const found = data.some(({ id }) => id === chosen?.id) || chosen === null ? data : [chosen];
  const numbers = new Map(data.map(({ id, number }) => [String(id), number]));
  const isShort = typed.trim().length < limits.contactSearchMin;
  return (
    <Select
      {...(inputRef ? { ref: inputRef } : {})}
      label={t("schedules.contact")}
      placeholder={t("schedules.contactPlaceholder")}
      data={found.map(({ id, name }) => ({ value: String(id), label: name }))}
      value={chosen === null ? null : String(chosen.id)}
      onChange={(value) => onChoose(found.find(({ id }) => String(id) === value) ?? null)}
      onSearchChange={setTyped}
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <span className="sc-option">
          {option.label}
          <span className="bc-meta">{formatPhone(numbers.get(option.value) ?? "")}</span>
        </span>
      )}
      nothingFoundMessage={t(
        isShort ? "schedules.contactHelp" : isSearching ? "common.loading" : "common.noOption",
      )}
      error={error}
      searchable
      // Before something is typed it has no options.
      openOnFocus={false}
      required={!isFilter}
      clearable={isFilter}
      clearButtonProps={{ "aria-label": t("schedules.filters.allContacts") }}
      comboboxProps={{ withinPortal: !isFilter }}
      data-autofocus
    />
  );
}

/** Contacts by a part of their name or number, half a second after the last key; none for fewer than 3 characters. */
function useFoundContacts(typed: string) {
  const wanted = typed.trim().toLowerCase();
  const [asked] = useDebouncedValue(wanted, limits.searchDebounceMs);
  const { data, isFetching } = useQuery({
    queryKey: ["schedules", "contacts", asked],
    queryFn: ({ signal }): Promise<ContactRef[]> =>
      call("GET /contacts/list", { query: { name: asked, limit: limits.choicesMax } }, { signal }),
    enabled: asked.length >= limits.contactSearchMin,
    placeholderData: keepPreviousData,
  });
  return { data, isSearching: isFetching || asked !== wanted };
}
