import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { randomUuid } from "../../api/random-uuid.ts";
import type { ChatAddress, CustomerMessage } from "./api.ts";
import { sendAsCustomer, simulatorKeys } from "./api.ts";

export type UnsentMessage = CustomerMessage & { error: unknown };

/** Messages that the customer wrote and the simulated network has not confirmed, or could not take. */
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
      // Shown as sent only once the conversation has it, so that it never blinks away in between.
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
