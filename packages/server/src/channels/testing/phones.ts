import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type {
  SimulatorChat,
  SimulatorMessage,
  SimulatorNetwork,
  SimulatorUploadFields,
  SimulatorWriteBody,
} from "@balcao/contract";
import type { LineRef } from "../simulator/line.ts";
import type { TestProcess } from "./process.ts";

const LINE = "/simulator/connections/:connectionId";

/** The simulator's calls of one connection, typed by the contract. */
export function phonesOf(process: TestProcess, line: LineRef) {
  const params = { connectionId: line.connectionId };
  const call = process.call as (
    name: string,
    line: LineRef,
    input: Record<string, unknown>,
  ) => Promise<unknown>;

  return {
    network: (body: Partial<SimulatorNetwork>) =>
      call(`PUT ${LINE}/network`, line, { params, body }),
    chats: () => call(`GET ${LINE}/chats`, line, { params }) as Promise<SimulatorChat[]>,
    addCustomer: (name: string, phone?: string) =>
      call(`POST ${LINE}/chats`, line, { params, body: { name, phone } }) as Promise<SimulatorChat>,
    addGroup: (name: string, members: { name: string; phone?: string }[]) =>
      call(`POST ${LINE}/groups`, line, {
        params,
        body: { name, members },
      }) as Promise<SimulatorChat>,
    messages: (phone: string) =>
      call(`GET ${LINE}/chats/:phone/messages`, line, {
        params: { ...params, phone },
        query: {},
      }) as Promise<SimulatorMessage[]>,
    write: (phone: string, body: SimulatorWriteBody) =>
      call(`POST ${LINE}/chats/:phone/messages`, line, {
        params: { ...params, phone },
        body,
      }) as Promise<SimulatorMessage>,
    sendFile: (
      phone: string,
      fields: SimulatorUploadFields,
      file: { name: string; mime: string; content: string | Uint8Array },
    ) =>
      call(`POST ${LINE}/chats/:phone/messages`, line, {
        params: { ...params, phone },
        body: undefined,
        upload: {
          fields: () => Promise.resolve(fields),
          files: () =>
            Readable.from([
              {
                name: file.name,
                claimedMime: file.mime,
                content: Readable.from([Buffer.from(file.content)]),
              },
            ]),
        },
      }) as Promise<SimulatorMessage>,
    edit: (messageId: string, body: string) =>
      call(`PUT ${LINE}/messages/:messageId`, line, {
        params: { ...params, messageId },
        body: { body },
      }) as Promise<SimulatorMessage>,
    remove: (messageId: string) =>
      call(`DELETE ${LINE}/messages/:messageId`, line, {
        params: { ...params, messageId },
      }) as Promise<SimulatorMessage>,
    react: (messageId: string, emoji: string, author?: string) =>
      call(`POST ${LINE}/messages/:messageId/reactions`, line, {
        params: { ...params, messageId },
        body: { emoji, author },
      }) as Promise<SimulatorMessage>,
    read: async (phone: string) => {
      await call(`POST ${LINE}/chats/:phone/read`, line, { params: { ...params, phone } });
    },
    ring: (phone: string, body: { isVideo?: boolean; author?: string } = {}) =>
      call(`POST ${LINE}/chats/:phone/calls`, line, {
        params: { ...params, phone },
        body,
      }) as Promise<SimulatorMessage>,
    typing: (phone: string, body: { on: boolean; isRecording?: boolean; author?: string }) =>
      call(`POST ${LINE}/chats/:phone/typing`, line, { params: { ...params, phone }, body }),
    /** The file of a message as the page gets it, with its headers. */
    file: async (messageId: string) => {
      const headers: Record<string, unknown> = {};
      const content = (await call(`GET ${LINE}/messages/:messageId/file`, line, {
        params: { ...params, messageId },
        reply: { headers: (given: Record<string, unknown>) => Object.assign(headers, given) },
      })) as Readable;
      const bytes = await buffer(content);
      return { content: bytes.toString(), bytes, headers };
    },
  };
}

export type Phones = ReturnType<typeof phonesOf>;
