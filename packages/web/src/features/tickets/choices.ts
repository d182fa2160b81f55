import type { Connection, ContactRef, Queue } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import type { FilterOption } from "./filter-menu.tsx";

/** Lists to choose from that change rarely: asked for once in this time, also without live events. */
const CHOICES_FRESH_MS = 60_000;

/** The users that a search can be narrowed by, by name. */
export function useFilterUsers(options: { enabled: boolean }): readonly FilterOption[] | undefined {
  const { data } = useQuery({
    queryKey: ["tickets", "choices", "users"],
    queryFn: ({ signal }) => call("GET /users/list", {}, { signal }),
    select: (users) => users.toSorted((a, b) => a.name.localeCompare(b.name)),
    staleTime: CHOICES_FRESH_MS,
    enabled: options.enabled,
  });
  return data;
}

/** All queues of the company: a ticket may be given to any of them. Undefined while unknown. */
export function useQueues(): readonly Queue[] | undefined {
  const { data } = useQuery({
    queryKey: ["queues"],
    queryFn: ({ signal }) => call("GET /queue", {}, { signal }),
  });
  return data;
}

/** Colleagues by a part of their name; asked for from 3 characters on. */
export function useColleagues(name: string) {
  const searchParam = name.trim().toLowerCase();
  return useQuery({
    queryKey: ["tickets", "choices", "colleagues", searchParam],
    queryFn: ({ signal }) => call("GET /users", { query: { searchParam } }, { signal }),
    select: ({ users }) => users,
    enabled: searchParam.length >= limits.userSearchMin,
    placeholderData: keepPreviousData,
    staleTime: CHOICES_FRESH_MS,
  });
}

/** Contacts by a part of their name or number; asked for from 3 characters on. */
export function useContacts(name: string) {
  const searchParam = name.trim().toLowerCase();
  return useQuery({
    queryKey: ["tickets", "choices", "contacts", searchParam],
    queryFn: ({ signal }): Promise<ContactRef[]> =>
      call("GET /contacts/list", { query: { name: searchParam } }, { signal }),
    enabled: searchParam.length >= limits.contactSearchMin,
    placeholderData: keepPreviousData,
  });
}

/** The connection that a new ticket starts on: the user's own, the company's default, or the only one. */
export function startingConnection(
  connections: readonly Connection[],
  ownId: number | null,
): Connection | undefined {
  return (
    connections.find(({ id }) => id === ownId) ??
    connections.find(({ isDefault }) => isDefault) ??
    (connections.length === 1 ? connections[0] : undefined)
  );
}
