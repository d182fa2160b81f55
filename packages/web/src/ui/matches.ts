import type { OptionsFilter } from "@mantine/core";

/** Lower case without accents, for comparing what people type with what stands on the screen. */
export function plain(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}

/** Whether a text contains every typed word, whatever the accents and capitals. No words match everything. */
export function matches(text: string, words: string): boolean {
  const wanted = plain(words).split(/\s+/).filter(Boolean);
  const searched = plain(text);
  return wanted.every((word) => searched.includes(word));
}

/** The options of a searchable `Select` that match; a group without any is left out. */
export const matchingOptions: OptionsFilter = ({ options, search, limit }) =>
  options
    .map((option) =>
      "group" in option
        ? { ...option, items: option.items.filter(({ label }) => matches(label, search)) }
        : option,
    )
    .filter((option) =>
      "group" in option ? option.items.length > 0 : matches(option.label, search),
    )
    .slice(0, limit);
