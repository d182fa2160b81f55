import type { SimulatorContent, SimulatorMessage } from "@balcao/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { call } from "../../api/client.ts";
import { randomUuid } from "../../api/random-uuid.ts";
import { upload } from "../../api/upload.ts";
import { notifyError } from "../../ui/index.ts";
import type { ChatAddress, CustomerMessage } from "./api.ts";
import { sendAsCustomer, simulatorKeys, typeAsCustomer } from "./api.ts";

/** The kind of message for a file. */
export type FileKind = "image" | "video" | "voice" | "sticker" | "document";

export type CustomerSends = {
  file: (file: File, as: { as: FileKind; isViewOnce: boolean }) => void;
  content: (content: SimulatorContent, body: string) => void;
  call: (isVideo: boolean) => void;
};

const messagesPath = "POST /simulator/connections/:connectionId/chats/:phone/messages";

/**
 * The actions of a customer other than sending text; errors are shown at once. `author` is the acting member of a
 * group, `quotedId` the replied message.
 */
export function useCustomerActs(
  chat: ChatAddress,
  asked: { author?: string | undefined; quotedId?: string | undefined },
) {
  const client = useQueryClient();
  const { connectionId, phone } = chat;
  const params = { connectionId, phone };
  const { author, quotedId } = asked;
  const { mutate: run } = useMutation({
    mutationFn: (act: () => Promise<unknown>) => act(),
    onError: notifyError,
    onSettled: () => client.invalidateQueries({ queryKey: simulatorKeys.messages(chat) }),
  });
  const of = (message: SimulatorMessage) => ({ connectionId, messageId: message.id });

  const sends: CustomerSends = {
    file: (file, { as, isViewOnce }) =>
      run(() => {
        const fields = {
          as,
          ...(isViewOnce ? { isViewOnce: "true" } : {}),
          ...(author === undefined ? {} : { author }),
          ...(quotedId === undefined ? {} : { quotedId }),
        };
        return upload(messagesPath, { params, fields, files: { file: [file] } });
      }),
    content: (content, body) =>
      run(() =>
        call(messagesPath, {
          params,
          body: { content, body: body || undefined, author, quotedId },
        }),
      ),
    call: (isVideo) =>
      run(() =>
        call("POST /simulator/connections/:connectionId/chats/:phone/calls", {
          params,
          body: { isVideo, author },
        }),
      ),
  };
  const one = "/simulator/connections/:connectionId/messages/:messageId";
  return {
    sends,
    edit: (message: SimulatorMessage, body: string) =>
      run(() => call(`PUT ${one}`, { params: of(message), body: { body } })),
    remove: (message: SimulatorMessage) =>
      run(() => call(`DELETE ${one}`, { params: of(message) })),
    react: (message: SimulatorMessage, emoji: string) =>
      run(() => call(`POST ${one}/reactions`, { params: of(message), body: { emoji, author } })),
    vote: (message: SimulatorMessage, option: string) =>
      run(() => {
        const content = { kind: "poll-vote" as const, options: [option] };
        return call(messagesPath, { params, body: { content, quotedId: message.id, author } });
      }),
  };
}

export type UnsentMessage = CustomerMessage & { error: unknown };

/** The customer's messages that the simulated network has not confirmed or has refused. */
export function useUnsent(chat: ChatAddress): {
  unsent: readonly UnsentMessage[];
  send: (message: Omit<CustomerMessage, "id">) => void;
  retry: (message: UnsentMessage) => void;
  discard: (id: string) => void;
} {
  const client = useQueryClient();
  const [unsent, setUnsent] = useState<readonly UnsentMessage[]>([]);

  function discard(id: string): void {
    setUnsent((known) => known.filter((message) => message.id !== id));
  }

  async function post(message: CustomerMessage): Promise<void> {
    try {
      await sendAsCustomer(chat, message);
      // Removed only after the conversation has the message, so that it never disappears in between.
      await client.invalidateQueries({ queryKey: simulatorKeys.messages(chat) });
      discard(message.id);
    } catch (error) {
      setUnsent((known) =>
        known.map((entry) => (entry.id === message.id ? { ...entry, error } : entry)),
      );
    }
  }

  return {
    unsent,
    discard,
    send(written) {
      const message = { id: randomUuid(), ...written };
      setUnsent((known) => [...known, { ...message, error: null }]);
      void post(message);
    },
    retry(message) {
      setUnsent((known) =>
        known.map((entry) => (entry.id === message.id ? { ...entry, error: null } : entry)),
      );
      void post(message);
    },
  };
}

/** The server forgets a typing sign, so it is repeated during typing. */
const REPEAT_MS = 3_000;
/** After this long without a key the typing stops. */
const IDLE_MS = 2_500;

/** Reports that the customer types. Errors are ignored: a lost sign is harmless. */
export function useTypingSignal({ connectionId, phone }: ChatAddress): {
  typed: () => void;
  stopped: () => void;
} {
  const startedAtMs = useRef(0);
  const idle = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  function send(on: boolean): void {
    typeAsCustomer({ connectionId, phone }, on).catch(() => undefined);
  }

  function stopped(): void {
    clearTimeout(idle.current);
    if (startedAtMs.current === 0) return;
    startedAtMs.current = 0;
    send(false);
  }

  function typed(): void {
    clearTimeout(idle.current);
    idle.current = setTimeout(stopped, IDLE_MS);
    if (Date.now() - startedAtMs.current < REPEAT_MS) return;
    startedAtMs.current = Date.now();
    send(true);
  }

  useEffect(
    () => () => {
      clearTimeout(idle.current);
      if (startedAtMs.current === 0) return;
      startedAtMs.current = 0;
      typeAsCustomer({ connectionId, phone }, false).catch(() => undefined);
    },
    [connectionId, phone],
  );

  return { typed, stopped };
}
