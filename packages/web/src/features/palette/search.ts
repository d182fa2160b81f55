import type { ContactRef, ListedTicket } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";

/** A search from here on; shorter words are commands and pages only. */
const TERM_MIN = limits.contactSearchMin;
const FOUND_MAX = 6;

export type Found = { tickets: readonly ListedTicket[]; contacts: readonly ContactRef[] };

const nothing: Found = { tickets: [], contacts: [] };

/** Tickets (by contact and by every message) and contacts in which the words stand; the last answer stays meanwhile. */
export function useFound(words: string): { found: Found; isSearching: boolean } {
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
