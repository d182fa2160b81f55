import type { EditableUser, ListedUser, RequestOf, SessionUser } from "@balcao/contract";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { currentSession, updateSessionUser } from "../../api/session-store.ts";
import { livePages } from "../../realtime/live-list.ts";

/** The company's users whose name or e-mail contains the words. Events do not carry presence. */
export const userPages = livePages<ListedUser>({
  key: ["users", "page"],
  identify: ({ id }) => id,
  async read(searchParam, pageNumber, signal) {
    const query = { searchParam, pageNumber };
    const { users: rows, count, hasMore } = await call("GET /users", { query }, { signal });
    return { rows, count, hasMore };
  },
}).follow("user");

/** All settings of a user, refetched each time a form opens. */
export function useEditableUser(id: number) {
  return useQuery({
    queryKey: ["users", "one", id],
    queryFn: ({ signal }): Promise<EditableUser> =>
      call("GET /users/:userId", { params: { userId: id } }, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
}

/** The number of open tickets of a user who is about to be deleted. */
export function useOpenTickets(id: number) {
  return useQuery({
    queryKey: ["users", "use", id],
    queryFn: ({ signal }) => call("GET /users/:userId/use", { params: { userId: id } }, { signal }),
    select: ({ openTickets }) => openTickets,
    staleTime: 0,
    gcTime: 0,
  });
}

export type NewUserBody = RequestOf<"POST /users">["body"];
export type UserChangeBody = RequestOf<"PUT /users/:userId">["body"];

export async function addUser(body: NewUserBody): Promise<SessionUser> {
  const saved = await call("POST /users", { body });
  userPages.readAgain();
  return saved;
}

/** Saves the changed fields of a user. A change of the signed-in user shows on every screen at once. */
export async function changeUser(id: number, body: UserChangeBody): Promise<SessionUser> {
  const saved = await call("PUT /users/:userId", { params: { userId: id }, body });
  if (currentSession()?.user.id === saved.id) updateSessionUser(saved);
  userPages.readAgain();
  return saved;
}

export async function deleteUser(id: number): Promise<void> {
  await call("DELETE /users/:userId", { params: { userId: id } });
  userPages.readAgain();
}
