import type { Colleague, EditableUser, Queue, RequestOf, SessionUser } from "@balcao/contract";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { currentSession, updateSessionUser } from "../../api/session-store.ts";
import type { Pages } from "../../api/use-pages.ts";
import { usePages } from "../../api/use-pages.ts";
import { useCompanyEvent } from "../../realtime/index.ts";

/** All queries of users begin with it. */
const usersKey = ["users"] as const;

/** The company's people whose name or e-mail has the words, with who is there now; kept current. */
export function useUserPages(words: string): Pages<Colleague> {
  // An event does not say whether he is there, so the list is read again.
  useCompanyEvent("user", refreshUsers);
  return usePages(
    [...usersKey, "page", words],
    async (pageNumber, signal) => {
      const query = { searchParam: words, pageNumber };
      const { users, count, hasMore } = await call("GET /users", { query }, { signal });
      return { rows: users, count, hasMore };
    },
    ({ id }) => id,
  );
}

/** Everything that can be set of a user, read anew each time it is asked for. */
export function useEditableUser(id: number) {
  return useQuery({
    queryKey: [...usersKey, "one", id],
    queryFn: ({ signal }): Promise<EditableUser> =>
      call("GET /users/:userId", { params: { userId: id } }, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
}

/** How many open tickets somebody has who is about to be deleted. */
export function useOpenTickets(id: number) {
  return useQuery({
    queryKey: [...usersKey, "use", id],
    queryFn: ({ signal }) => call("GET /users/:userId/use", { params: { userId: id } }, { signal }),
    select: ({ openTickets }) => openTickets,
    staleTime: 0,
    gcTime: 0,
  });
}

/** The company's queues; undefined while unknown. */
export function useQueues(): readonly Queue[] | undefined {
  const { data } = useQuery({
    queryKey: ["queues"],
    queryFn: ({ signal }) => call("GET /queue", {}, { signal }),
  });
  return data;
}

export type NewUserBody = RequestOf<"POST /users">["body"];
export type UserChangeBody = RequestOf<"PUT /users/:userId">["body"];

export async function addUser(body: NewUserBody): Promise<SessionUser> {
  const saved = await call("POST /users", { body });
  refreshUsers();
  return saved;
}

/** Saves what changed of a user; oneself is at once on every screen as he is now. */
export async function changeUser(id: number, body: UserChangeBody): Promise<SessionUser> {
  const saved = await call("PUT /users/:userId", { params: { userId: id }, body });
  if (currentSession()?.user.id === saved.id) updateSessionUser(saved);
  refreshUsers();
  return saved;
}

export async function deleteUser(id: number): Promise<void> {
  await call("DELETE /users/:userId", { params: { userId: id } });
  refreshUsers();
}

function refreshUsers(): void {
  void queryClient.invalidateQueries({ queryKey: [...usersKey, "page"] });
}
