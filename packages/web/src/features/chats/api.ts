import type { Chat, ChatMember, CompanyEvents, RequestOf } from "@balcao/contract";
import { addressedEventName } from "@balcao/contract/event-names";
import type { InfiniteData } from "@tanstack/react-query";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { createSessionStore, currentSession } from "../../api/session-store.ts";
import type { Page, Pages } from "../../api/use-pages.ts";
import { usePages } from "../../api/use-pages.ts";
import { batchPerFrame, onCompanyEvent, onNamedEvent } from "../../realtime/live.ts";

type ListData = InfiniteData<Page<Chat>>;

const listKey = ["chats", "list"] as const;
const chatKey = (uuid: string) => ["chat", uuid] as const;

/** The own user of the session. */
export const ownId = (): number => currentSession()?.user.id ?? 0;

/** The own chats with the words in their title or members' names; the newest message first. */
export function useChats(words: string): Pages<Chat> {
  return usePages(
    [...listKey, words],
    async (pageNumber, signal) => {
      const query = { searchParam: words, pageNumber };
      const { records, count, hasMore } = await call("GET /chats", { query }, { signal });
      return { rows: records, count, hasMore };
    },
    ({ id }) => id,
  );
}

/** A chat by its address. */
export function useChat(uuid: string | undefined) {
  return useQuery({
    queryKey: chatKey(uuid ?? ""),
    queryFn: ({ signal }) =>
      call("GET /chats/:chatUuid", { params: { chatUuid: uuid ?? "" } }, { signal }),
    enabled: uuid !== undefined,
    initialData: () =>
      uuid === undefined ? undefined : listedChats().find((one) => one.uuid === uuid),
    initialDataUpdatedAt: 0,
    retry: false,
  });
}

/** The chats of the unfiltered list that are loaded. */
export function listedChats(): readonly Chat[] {
  const data = queryClient.getQueryData<ListData>([...listKey, ""]);
  return data?.pages.flatMap(({ rows }) => [...rows]) ?? [];
}

/** The own membership of a chat. */
export const ownMember = ({ users }: Chat): ChatMember | undefined =>
  users.find(({ userId }) => userId === ownId());

export const othersOf = ({ users }: Chat): readonly ChatMember[] =>
  users.filter(({ userId }) => userId !== ownId());

/** A direct chat is called as the other person. */
export function titleOf(chat: Chat): string {
  if (!chat.isDirect) return chat.title;
  return othersOf(chat)[0]?.user.name ?? chat.title;
}

/** The last message without its sender's name. */
export function lastTextOf({ lastMessage }: Chat): string {
  const at = lastMessage.indexOf(": ");
  return at === -1 ? lastMessage : lastMessage.slice(at + 2);
}

/** Chats that were deleted, or that the user left or was removed from, while this page was open. */
export const goneChats = createSessionStore<ReadonlySet<number>>(new Set());

/** Puts a chat as it is now into every list and to its address. Older versions of it change nothing. */
export function putChat(chat: Chat): void {
  let newest = chat;
  queryClient.setQueryData<Chat>(chatKey(chat.uuid), (known) => {
    newest = merged(known, chat);
    return known && newest;
  });
  for (const [key, data] of queryClient.getQueriesData<ListData>({ queryKey: listKey })) {
    if (data === undefined) continue;
    const known = data.pages.flatMap(({ rows }) => [...rows]).find(({ id }) => id === chat.id);
    // The server alone knows whether a search finds it.
    if (known === undefined && key[2] !== "") continue;
    const next = merged(known, newest);
    const isMoved = known === undefined || next.lastMessageAt > known.lastMessageAt;
    queryClient.setQueryData<ListData>(key, {
      ...data,
      pages: data.pages.map((page, at) => {
        const rows = isMoved
          ? page.rows.filter(({ id }) => id !== chat.id)
          : page.rows.map((row) => (row.id === chat.id ? next : row));
        return isMoved && at === 0 ? { ...page, rows: [next, ...rows] } : { ...page, rows };
      }),
    });
  }
}

function merged(known: Chat | undefined, incoming: Chat): Chat {
  const isSilenced = incoming.isSilenced ?? known?.isSilenced;
  return { ...incoming, ...(isSilenced === undefined ? {} : { isSilenced }) };
}

function dropChat(id: number): void {
  goneChats.set(new Set([...goneChats.get(), id]));
  queryClient.setQueriesData<ListData>(
    { queryKey: listKey },
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) => ({
          ...page,
          rows: page.rows.filter((row) => row.id !== id),
        })),
      },
  );
  queryClient.removeQueries({ queryKey: ["messages", conversationOf(id)], exact: true });
}

/** Chats and tickets share the stores of conversations; a chat's ids are negative there. */
export const conversationOf = (chatId: number): number => -chatId;
/** Creates a chat, or changes title and members of one. */
export async function saveChat(
  chat: Chat | null,
  body: RequestOf<"POST /chats">["body"],
): Promise<Chat> {
  const saved =
    chat === null
      ? await call("POST /chats", { body })
      : await call("PUT /chats/:chatId", { params: { chatId: chat.id }, body });
  putChat(saved);
  return saved;
}

export async function deleteChat({ id }: Chat): Promise<void> {
  await call("DELETE /chats/:chatId", { params: { chatId: id } });
}

export async function leaveChat({ id }: Chat): Promise<void> {
  await call("POST /chats/:chatId/leave", { params: { chatId: id } });
}

export async function silenceChat({ id }: Chat, isSilenced: boolean): Promise<void> {
  const params = { chatId: id };
  putChat(await call("PUT /chats/:chatId/silence", { params, body: { isSilenced } }));
}

// --- Live: for as long as the page lives.

onCompanyEvent("chat", (event: CompanyEvents["chat"]) =>
  batchPerFrame(() => {
    if (event.action === "delete") dropChat(event.id);
    else putChat(event.chat);
  }),
);

onNamedEvent(
  "chat of user",
  (companyId) => addressedEventName("chat", { to: "user", companyId, userId: ownId() }),
  ({ action, record }: { action: "create" | "update"; record: Chat }) =>
    batchPerFrame(() => {
      if (action === "create" || goneChats.get().has(record.id)) {
        const gone = new Set(goneChats.get());
        gone.delete(record.id);
        goneChats.set(gone);
      }
      putChat(record);
    }),
);
