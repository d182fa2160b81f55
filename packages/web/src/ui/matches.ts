import type { OptionsFilter } from "@mantine/core";

/** Lower case without accents, to compare typed words with texts on the screen. */
export function plain(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}

/** True if a text contains every typed word, ignoring accents and case. No words match everything. */
export function matches(text: string, words: string): boolean {
  const wanted = plain(words).split(/\s+/).filter(Boolean);
  const searched = plain(text);
  return wanted.every((word) => searched.includes(word));
}

/** The matching options of a searchable `Select`; empty groups are left out. */
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
