import type { ContactRef } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";

/** Contacts by a part of their name or number, half a second after the last key; none for fewer than 3 characters. */
export function useFoundContacts(typed: string) {
  const [asked] = useDebouncedValue(typed.trim().toLowerCase(), limits.searchDebounceMs);
  return useQuery({
    queryKey: ["schedules", "contacts", asked],
    queryFn: ({ signal }): Promise<ContactRef[]> =>
      call("GET /contacts/list", { query: { name: asked, limit: limits.choicesMax } }, { signal }),
    enabled: asked.length >= limits.contactSearchMin,
    placeholderData: keepPreviousData,
  });
}
