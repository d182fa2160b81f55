import type { SimulatorNetwork } from "@balcao/contract";
import type { Database } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Random } from "../../platform/sources.ts";
import type {
  CallEvent,
  Capabilities,
  ChatProvider,
  CloseReason,
  MediaRef,
  MessageRef,
  NumberAnswer,
  ProviderContext,
  ProviderFailure,
  SendCommand,
  SendOutcome,
} from "../port.ts";
import { LeaseLost, MediaGone } from "../port.ts";
import type { NetworkFiles } from "./content.ts";
import { openFileForConnection } from "./content.ts";
import type { Line, Typing } from "./line.ts";
import {
  addressOf,
  chatOfAddress,
  checkAccounts,
  lineNumber,
  readLine,
  showPairingCode,
  unlinkLine,
} from "./line.ts";
import type { SendingDeps } from "./sending.ts";
import { handOver, markCallRefused, markReadByCompany } from "./sending.ts";
import type { TrafficDeps } from "./traffic.ts";
import { deliver, hasTraffic, report } from "./traffic.ts";

export type SimulatorSettings = {
  /** How long a code may be scanned. */
  codeMs: number;
  /** Codes shown before the session gives up. */
  codes: number;
};

export const defaultSimulatorSettings: SimulatorSettings = { codeMs: 20_000, codes: 3 };

export type ProviderDeps = {
  db: Database;
  /** The network's own files. */
  files: NetworkFiles;
  random: Random;
  settings: SimulatorSettings;
  log: Logger;
  /** Called after a change of the line (null) or of a customer's chat. */
  onChange: (phone: string | null) => void;
  /** Called when the session opens; from then on `lookSoon` is called at wake-ups. */
  register: (provider: SimulatorProvider) => () => void;
};

export const simulatorCapabilities: Capabilities = {
  qr: true,
  pairingCode: false,
  presence: true,
  edit: true,
  revoke: true,
  react: true,
  numberCheck: true,
  profilePicture: false,
  groups: true,
  templates: false,
  freeTextWindowHours: null,
  clientMessageId: true,
  // The simulated phone certainly drops a second message with the same id.
  resends: 20,
};

/** A session on the simulated network. The network's state is in its tables; this is only the open socket. */
export class SimulatorProvider implements ChatProvider {
  readonly capabilities = simulatorCapabilities;
  readonly #context: ProviderContext;
  readonly #deps: ProviderDeps;
  #state: "new" | "pairing" | "connected" | "closed" = "new";
  #unregister: (() => void) | undefined;
  #connectedAt = new Date(0);
  #codesShown = 0;
  #codeTimer: NodeJS.Timeout | undefined;
  #dueTimer: NodeJS.Timeout | undefined;
  #look: Promise<void> | null = null;
  #lookAgain = false;
  readonly #delays = new Set<() => void>();

  readonly #traffic: TrafficDeps;
  readonly #sending: SendingDeps;

  constructor(context: ProviderContext, deps: ProviderDeps) {
    const { db, files, onChange } = deps;
    this.#context = context;
    this.#deps = deps;
    this.#traffic = { db, context, onChange, isOpen: () => this.#isOpen() };
    this.#sending = { db, files, context };
  }

  get connectionId() {
    return this.#context.connectionId;
  }

  async start(): Promise<void> {
    const line = await this.#readLine();
    if (this.#state !== "new") return;
    if (!line.network.online) {
      await this.#end("network");
      return;
    }
    this.#unregister = this.#deps.register(this);
    if (line.linked) {
      await this.#connect(line);
    } else {
      this.#state = "pairing";
      await this.#showCode();
    }
  }

  async stop(): Promise<void> {
    this.#close();
    await this.#look;
  }

  async unlink(): Promise<void> {
    await this.#deps.db.transaction(this.#context, (tx) => unlinkLine(tx, this.#context));
    this.#deps.onChange(null);
  }

  async send(command: SendCommand): Promise<SendOutcome> {
    if (this.#state !== "connected") return refused("not-connected");
    const network = await this.#readNetwork();
    if (!network?.online) return refused("not-connected");
    if (network.sendMode === "refuse") return refused("bad-request", "simulator-refused");
    if (!(await this.#delay(network.delayMs))) return refused("not-connected");
    let hasBegun = false;
    const onBegun = () => {
      hasBegun = true;
    };
    try {
      const taken = await handOver(this.#sending, command, { network, onBegun });
      if (taken.failure) return { result: "refused", failure: taken.failure };
      this.#deps.onChange(taken.phone);
    } catch (error) {
      // The error may come from the commit.
      this.#troubled(error);
      const failure = { kind: "temporary" } as const;
      return { result: hasBegun ? "unknown" : "refused", failure };
    }
    if (network.sendMode === "disconnect") {
      void this.#endQuietly("network");
      return { result: "unknown", failure: { kind: "not-connected" } };
    }
    if (network.sendMode === "unconfirmed") {
      return { result: "unknown", failure: { kind: "unconfirmed" } };
    }
    this.lookSoon();
    // The network reports nothing later about changes.
    const isMessage = command.body.kind === "text" || command.body.kind === "media";
    return { result: isMessage || network.sendMode === "silent" ? "written" : "accepted" };
  }

  async openMedia(file: MediaRef, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    if (this.#state !== "connected") throw new Error("not connected");
    const opened = await openFileForConnection(this.#deps, this.#context, file.locator);
    if (!opened) throw new MediaGone();
    const { stream } = opened;
    if (signal.aborted) stream.destroy();
    signal.addEventListener("abort", () => stream.destroy(), { once: true });
    return stream;
  }

  async checkNumbers(numbers: readonly string[]): Promise<readonly NumberAnswer[]> {
    if (this.#state !== "connected") throw new Error("not connected");
    return this.#deps.db.transaction(this.#context, (tx) =>
      checkAccounts(tx, this.#context, numbers),
    );
  }

  async refuseCall(call: CallEvent): Promise<void> {
    const phone = await this.#deps.db.transaction(this.#context, (tx) =>
      markCallRefused(tx, this.#context, call.id),
    );
    if (phone !== null) this.#deps.onChange(phone);
  }

  async markRead(refs: readonly MessageRef[]): Promise<void> {
    const marks = refs.flatMap(({ chat, id }) => {
      const phone = chatOfAddress(chat);
      return phone === null ? [] : [{ phone, id }];
    });
    await this.#deps.db.transaction(this.#context, (tx) =>
      markReadByCompany(tx, this.#context, marks),
    );
    for (const { phone } of marks) this.#deps.onChange(phone);
  }

  async setTyping(): Promise<void> {
    // The simulated phone does not show typing.
  }

  async profilePicture(): Promise<null> {
    return null;
  }

  async isIdle(): Promise<boolean> {
    if (this.#look) return false;
    if (this.#state !== "connected") return true;
    return !(await this.#deps.db.transaction(this.#context, (tx) => hasTraffic(tx, this.#context)));
  }

  /** Reads the network's state now, or once more after the running read. */
  lookSoon(): void {
    if (this.#state === "closed" || this.#state === "new") return;
    this.#lookAgain = true;
    this.#look ??= this.#lookWhileAsked().finally(() => {
      this.#look = null;
      if (this.#lookAgain) this.lookSoon();
    });
  }

  /** Reports that the customer starts or stops typing or recording, while connected. */
  typing({ phone, state, author }: Typing): void {
    if (this.#state !== "connected") return;
    const chat = addressOf(phone);
    const peer = { addresses: [author === null ? chat : addressOf(author)] };
    this.#context.sink
      .tell({ type: "presence", peer, chat, state })
      .catch((error: unknown) => this.#troubled(error));
  }

  #readLine(): Promise<Line> {
    return this.#deps.db.transaction(this.#context, (tx) => readLine(tx, this.#context));
  }

  /** Null while it cannot be read. */
  async #readNetwork(): Promise<SimulatorNetwork | null> {
    try {
      return (await this.#readLine()).network;
    } catch (error) {
      this.#troubled(error);
      return null;
    }
  }

  async #connect(line: Line): Promise<void> {
    this.#state = "connected";
    clearTimeout(this.#codeTimer);
    this.#connectedAt = line.readAt;
    const number = lineNumber(this.connectionId);
    await this.#context.sink.tell({ type: "state", status: "CONNECTED", number });
    this.#deps.onChange(null);
    this.lookSoon();
  }

  async #showCode(): Promise<void> {
    const isLast = this.#codesShown === this.#deps.settings.codes;
    const code = isLast ? null : `balcao:${this.connectionId}:${this.#deps.random.hex(16)}`;
    const { companyId } = this.#context;
    const isUnlinked = await this.#deps.db.transaction({ companyId }, (tx) =>
      showPairingCode(tx, this.#context, code),
    );
    this.#deps.onChange(null);
    if (!isUnlinked) {
      this.lookSoon();
      return;
    }
    if (code === null) {
      await this.#end("qr-expired");
      return;
    }
    this.#codesShown += 1;
    await this.#context.sink.tell({ type: "qr", text: code });
    if (this.#state !== "pairing") return;
    this.#codeTimer = setTimeout(() => {
      this.#showCode().catch((error: unknown) => this.#endAfter(error));
    }, this.#deps.settings.codeMs);
    this.#codeTimer.unref();
  }

  async #lookWhileAsked(): Promise<void> {
    while (this.#lookAgain && this.#isOpen()) {
      this.#lookAgain = false;
      try {
        await this.#lookOnce();
      } catch (error) {
        this.#troubled(error);
      }
    }
    if (!this.#isOpen()) this.#lookAgain = false;
  }

  async #lookOnce(): Promise<void> {
    const line = await this.#readLine();
    if (!line.network.online) {
      await this.#end("network");
      return;
    }
    if (this.#state === "pairing") {
      if (!line.linked) return;
      await this.#context.sink.tell({ type: "state", status: "PAIRING" });
      await this.#connect(line);
      return;
    }
    if (!line.linked) {
      await this.#end("logged-out");
      return;
    }
    await report(this.#traffic);
    const nextMs = await deliver(this.#traffic, this.#connectedAt);
    clearTimeout(this.#dueTimer);
    if (nextMs === null || !this.#isOpen()) return;
    this.#dueTimer = setTimeout(() => this.lookSoon(), nextMs);
    this.#dueTimer.unref();
  }

  /** Waits for the network's delay; false when the session closed meanwhile. */
  async #delay(delayMs: number): Promise<boolean> {
    if (delayMs > 0) {
      await new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer);
          this.#delays.delete(end);
          resolve();
        };
        const timer = setTimeout(end, delayMs);
        this.#delays.add(end);
      });
    }
    return this.#state === "connected";
  }

  #isOpen(): boolean {
    return this.#state === "pairing" || this.#state === "connected";
  }

  #close(): void {
    this.#state = "closed";
    clearTimeout(this.#codeTimer);
    clearTimeout(this.#dueTimer);
    for (const end of this.#delays) end();
    this.#unregister?.();
    this.#unregister = undefined;
  }

  /** Ends the session, because the socket is closed. */
  async #end(reason: CloseReason): Promise<void> {
    if (this.#state === "closed") return;
    this.#close();
    this.#deps.onChange(null);
    await this.#context.sink.tell({ type: "state", status: "DISCONNECTED", reason });
  }

  async #endQuietly(reason: CloseReason): Promise<void> {
    try {
      await this.#end(reason);
    } catch (error) {
      this.#troubled(error);
    }
  }

  #endAfter(error: unknown): void {
    this.#troubled(error);
    void this.#endQuietly("network");
  }

  /** The next poll retries, unless another process owns the line now. */
  #troubled(error: unknown): void {
    if (error instanceof LeaseLost) this.#close();
    else this.#deps.log.warn({ err: error, connectionId: this.connectionId }, "the line stutters");
  }
}

function refused(kind: ProviderFailure["kind"], code?: string): SendOutcome {
  return { result: "refused", failure: code === undefined ? { kind } : { kind, code } };
}
