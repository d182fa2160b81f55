import type {
  SimulatorMember,
  SimulatorMessage,
  SimulatorUploadFields,
  SimulatorWriteBody,
} from "@balcao/contract";
import { simulatorMessage } from "@balcao/contract";
import type { Api } from "./api.ts";
import { eventually } from "./eventually.ts";
import type { NamedFile } from "./files.ts";

/** Actions of a phone of the simulated network beside writing texts. */
export type Phone = {
  /** A text or another content, as an answer where `quotedId` says to what. */
  sends(message: SimulatorWriteBody): Promise<SimulatorMessage>;
  sendsFile(file: NamedFile, fields: SimulatorUploadFields): Promise<SimulatorMessage>;
  edits(message: { id: string }, body: string): Promise<void>;
  deletes(message: { id: string }): Promise<void>;
  /** An empty emoji takes the reaction back. */
  reacts(message: { id: string }, emoji: string, author?: SimulatorMember): Promise<void>;
  calls(call?: { isVideo?: boolean }): Promise<void>;
  types(state: { on: boolean; isRecording?: boolean }): Promise<void>;
  /** The newest message of the company with this text, once it has arrived. */
  received(text: string): Promise<SimulatorMessage>;
  /** The content of a message's file. */
  download(message: SimulatorMessage): Promise<Buffer>;
};

type PhoneAddress = { url: string; token: string; connectionId: number; phone: string };

export function phoneOf(api: Api, address: PhoneAddress): Phone {
  const { url, token, connectionId, phone } = address;
  const params = { connectionId, phone };
  const chat = "/simulator/connections/:connectionId/chats/:phone" as const;
  const headers = { authorization: `Bearer ${token}` };
  return {
    sends: (body) => api(`POST ${chat}/messages`, { params, body }),
    async sendsFile(file, fields) {
      const form = new FormData();
      for (const [key, value] of Object.entries(fields)) {
        if (value !== undefined) form.set(key, value);
      }
      form.set("file", new Blob([new Uint8Array(file.buffer)], { type: file.mimeType }), file.name);
      const path = `/api/simulator/connections/${connectionId}/chats/${phone}/messages`;
      const response = await fetch(new URL(path, url), { method: "POST", headers, body: form });
      const text = await response.text();
      if (!response.ok) throw new Error(`the customer's file: ${response.status} ${text}`);
      return simulatorMessage.parse(JSON.parse(text));
    },
    async edits({ id }, body) {
      const of = { connectionId, messageId: id };
      await api("PUT /simulator/connections/:connectionId/messages/:messageId", {
        params: of,
        body: { body },
      });
    },
    async deletes({ id }) {
      const of = { connectionId, messageId: id };
      await api("DELETE /simulator/connections/:connectionId/messages/:messageId", { params: of });
    },
    async reacts({ id }, emoji, author) {
      const of = { connectionId, messageId: id };
      await api("POST /simulator/connections/:connectionId/messages/:messageId/reactions", {
        params: of,
        body: { emoji, ...(author === undefined ? {} : { author: author.phone }) },
      });
    },
    async calls(call = {}) {
      await api(`POST ${chat}/calls`, { params, body: call });
    },
    async types(state) {
      await api(`POST ${chat}/typing`, { params, body: state });
    },
    received: (text) =>
      eventually(`message with "${text}" on the phone`, async () => {
        const messages = await api(`GET ${chat}/messages`, { params, query: {} });
        return messages.findLast((one) => !one.fromCustomer && one.body.includes(text));
      }),
    async download({ file }) {
      if (!file) throw new Error("the message has no file");
      const response = await fetch(new URL(`/api${file.url}`, url), { headers });
      if (!response.ok) throw new Error(`the phone's file: ${response.status}`);
      return Buffer.from(await response.arrayBuffer());
    },
  };
}
