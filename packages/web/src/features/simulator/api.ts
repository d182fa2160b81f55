import type {
  ReplyOf,
  SimulatorChat,
  SimulatorConnection,
  SimulatorMessage,
  SimulatorNetwork,
} from "@balcao/contract";
import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { call } from "../../api/client.ts";
import { useCompanyEvent } from "../../realtime/index.ts";

/** Messages of one page of the simulated network. */
const MESSAGES_PER_PAGE = 100;

/** One customer of one simulated connection. */
export type ChatAddress = { connectionId: number; phone: string };

export const simulatorKeys = {
  all: ["simulator"],
  connections: ["simulator", "connections"],
  chats: (connectionId: number) => ["simulator", "chats", connectionId],
  messages: (chat: ChatAddress) => ["simulator", "messages", chat.connectionId, chat.phone],
} as const;

export function useSimulatedConnections() {
  return useQuery({
    queryKey: simulatorKeys.connections,
    queryFn: ({ signal }): Promise<SimulatorConnection[]> =>
      call("GET /simulator/connections", {}, { signal }),
  });
}

/** Customers whose name or phone contains `search`, latest first. */
export function useCustomers(connectionId: number, search: string) {
  return useQuery({
    queryKey: [...simulatorKeys.chats(connectionId), search],
    queryFn: ({ signal }): Promise<SimulatorChat[]> =>
      call(
        "GET /simulator/connections/:connectionId/chats",
        { params: { connectionId }, query: { searchParam: search } },
        { signal },
      ),
    placeholderData: keepPreviousData,
  });
}

/** A conversation, oldest first; older pages on demand. */
export function useConversation(chat: ChatAddress) {
  return useInfiniteQuery({
    queryKey: simulatorKeys.messages(chat),
    initialPageParam: "",
    queryFn: ({ signal, pageParam }): Promise<SimulatorMessage[]> =>
      call(
        "GET /simulator/connections/:connectionId/chats/:phone/messages",
        { params: chat, query: { beforeId: pageParam } },
        { signal },
      ),
    getNextPageParam: (page) => (page.length < MESSAGES_PER_PAGE ? undefined : page[0]?.id),
    select: ({ pages }) => pages.toReversed().flat(),
  });
}

/** Changes the network; shown at once and reverted if refused. */
export function useNetworkChange(connectionId: number) {
  const client = useQueryClient();
  const write = (network: Partial<SimulatorNetwork>): void => {
    client.setQueryData<SimulatorConnection[]>(simulatorKeys.connections, (known) =>
      known?.map((entry) =>
        entry.id === connectionId ? { ...entry, network: { ...entry.network, ...network } } : entry,
      ),
    );
  };
  return useMutation({
    mutationFn: (network: Partial<SimulatorNetwork>) =>
      call("PUT /simulator/connections/:connectionId/network", {
        params: { connectionId },
        body: network,
      }),
    onMutate: write,
    onSettled: () => client.invalidateQueries({ queryKey: simulatorKeys.connections }),
  });
}

/** An action of the company's phone, or of the product, on the link of a connection. */
export function useLinkAction(connection: SimulatorConnection) {
  const client = useQueryClient();
  const params = { connectionId: connection.id };
  return useMutation({
    mutationFn: async (action: "scan" | "unlink" | "newQr"): Promise<void> => {
      if (action === "scan") {
        const body = { code: connection.qrcode };
        await call("POST /simulator/connections/:connectionId/scan", { params, body });
      } else if (action === "unlink") {
        await call("POST /simulator/connections/:connectionId/unlink", { params });
      } else {
        await call("PUT /whatsappsession/:connectionId", { params, body: {} });
      }
    },
    onSettled: () => client.invalidateQueries({ queryKey: simulatorKeys.connections }),
  });
}

type NewChat = { name: string; phone?: string } | { name: string; members: { name: string }[] };

/** Adds a customer, or a group if it has members. */
export function useAddChat(connectionId: number) {
  const client = useQueryClient();
  const params = { connectionId };
  return useMutation({
    mutationFn: (chat: NewChat): Promise<SimulatorChat> =>
      "members" in chat
        ? call("POST /simulator/connections/:connectionId/groups", { params, body: chat })
        : call("POST /simulator/connections/:connectionId/chats", { params, body: chat }),
    onSettled: () => client.invalidateQueries({ queryKey: simulatorKeys.chats(connectionId) }),
  });
}

export type CustomerMessage = {
  id: string;
  body: string;
  quotedId?: string | undefined;
  /** The group member who writes. */
  author?: string | undefined;
};

/** Sends a message as the customer. A repeated id is one message, so a retry is safe. */
export function sendAsCustomer(
  chat: ChatAddress,
  { id, body, quotedId, author }: CustomerMessage,
): Promise<ReplyOf<"POST /simulator/connections/:connectionId/chats/:phone/messages">> {
  return call("POST /simulator/connections/:connectionId/chats/:phone/messages", {
    params: chat,
    body: { body, quotedId, author, messageId: id },
  });
}

/** Marks everything that the company sent as read by the customer. */
export async function readAsCustomer(chat: ChatAddress): Promise<void> {
  await call("POST /simulator/connections/:connectionId/chats/:phone/read", { params: chat });
}

/** Reports that the customer starts or stops typing. */
export async function typeAsCustomer(chat: ChatAddress, on: boolean): Promise<void> {
  await call("POST /simulator/connections/:connectionId/chats/:phone/typing", {
    params: { connectionId: chat.connectionId, phone: chat.phone },
    body: { on },
  });
}

/** Events within this time cause one request. */
const GATHER_MS = 120;

/** Refetches the data that an event reports as changed. */
export function useSimulatorEvents(): void {
  const client = useQueryClient();
  const changed = useRef(new Map<string, readonly unknown[]>());
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);

  function refetchSoon(key: readonly unknown[]): void {
    changed.current.set(JSON.stringify(key), key);
    timer.current ??= setTimeout(() => {
      timer.current = null;
      const keys = [...changed.current.values()];
      changed.current.clear();
      for (const queryKey of keys) void client.invalidateQueries({ queryKey });
    }, GATHER_MS);
  }

  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
    },
    [],
  );
  useCompanyEvent("whatsappSession", () => refetchSoon(simulatorKeys.connections));
  useCompanyEvent("simulator", ({ connectionId, phone }) => {
    if (phone === null) refetchSoon(simulatorKeys.connections);
    else refetchSoon(simulatorKeys.messages({ connectionId, phone }));
    refetchSoon(simulatorKeys.chats(connectionId));
  });
}

/** "+55 11 98456-2210" for Brazilian numbers, "+" and the digits for others. */
export function formatPhone(phone: string): string {
  const brazilian = /^55(\d{2})(\d{4,5})(\d{4})$/.exec(phone);
  if (!brazilian) return `+${phone}`;
  const [, area, first, last] = brazilian;
  return `+55 ${area} ${first}-${last}`;
}

/** The digits of a typed phone number; null if it cannot be one. */
export function parsePhone(typed: string): string | null {
  const digits = typed.replaceAll(/[\s()+.-]/g, "");
  return /^\d{8,15}$/.test(digits) ? digits : null;
}
