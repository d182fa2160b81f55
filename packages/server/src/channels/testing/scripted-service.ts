import type {
  Address,
  Capabilities,
  ChannelAdapter,
  ChatProvider,
  CloseReason,
  ProfilePicture,
  ProviderContext,
  SendCommand,
  SendOutcome,
} from "../port.ts";
import { allCapabilities, plainProvider } from "./provider.ts";

/** A chat service outside of us that does as the test says. */
export type ScriptedService = {
  adapter: ChannelAdapter;
  /** Sessions in the order of their making. */
  sessions: ScriptedSession[];
  sends: SendCommand[];
  /** Those that were started. */
  started(): ScriptedSession[];
};

export type ScriptedSession = {
  context: ProviderContext;
  calls: string[];
  end(reason: CloseReason): Promise<void>;
};

export type Script = {
  capabilities?: Partial<Capabilities>;
  /** In the place of being connected at once. */
  onStart?: (session: ScriptedSession) => Promise<void> | void;
  onUnlink?: (session: ScriptedSession) => Promise<void> | undefined;
  onSend?: (command: SendCommand, number: number) => Promise<SendOutcome> | SendOutcome;
  onPicture?: (
    address: Address,
    signal: AbortSignal,
  ) => Promise<ProfilePicture | null> | ProfilePicture | null;
};

export function createScriptedService(script: Script = {}): ScriptedService {
  const { onStart, onUnlink, onSend, onPicture } = script;
  const capabilities = { ...allCapabilities, ...script.capabilities };
  const sessions: ScriptedSession[] = [];
  const sends: SendCommand[] = [];

  function createProvider(context: ProviderContext): ChatProvider {
    const session: ScriptedSession = {
      context,
      calls: [],
      end: (reason) => context.sink.tell({ type: "state", status: "DISCONNECTED", reason }),
    };
    sessions.push(session);
    const note = (call: string) => void session.calls.push(call);
    return {
      ...plainProvider,
      capabilities,
      start: async () => {
        note("start");
        if (onStart) await onStart(session);
        else await context.sink.tell({ type: "state", status: "CONNECTED", number: "5511" });
      },
      stop: async () => note("stop"),
      unlink: async () => {
        note("unlink");
        await onUnlink?.(session);
      },
      send: async (command) => {
        sends.push(command);
        return onSend ? onSend(command, sends.length) : { result: "accepted" };
      },
      markRead: async () => note("markRead"),
      setTyping: async (chat, isTyping) => note(`typing ${chat.value} ${isTyping}`),
      profilePicture: async (address, signal) => {
        note(`picture ${address.value}`);
        return (await onPicture?.(address, signal)) ?? null;
      },
    };
  }

  const started = () => sessions.filter(({ calls }) => calls.includes("start"));
  return { adapter: { createProvider }, sessions, sends, started };
}
