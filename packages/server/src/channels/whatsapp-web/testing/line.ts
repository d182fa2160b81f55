import { randomBytes } from "node:crypto";
import { decodeBinaryNode, encodeBinaryNode, NOISE_WA_HEADER } from "baileys";
import type { RawData, WebSocket } from "ws";
import type { ServerIdentity } from "./noise-identity.ts";
import type { FinishedHandshake, OpenHandshake } from "./noise.ts";
import { answerHello } from "./noise.ts";
import type { BinaryNode } from "./nodes.ts";

/** A frame that no client can read: by which step of its reading fails. */
export type BrokenFrame = "encryption" | "node" | "compression" | "empty";

/** A client's connection after its handshake. */
export type Line = {
  noiseKey: Buffer;
  payload: FinishedHandshake["payload"];
  send(stanza: BinaryNode): void;
  sendBroken(frame: BrokenFrame): void;
  /** Closes the connection in order; the client receives everything that was sent before. */
  close(): void;
  /** Gone from one moment to the next, as when a cable is cut. */
  cut(): void;
  readonly isOpen: boolean;
};

export type LineEvents = {
  onLine(line: Line): void;
  onStanza(line: Line, stanza: BinaryNode): Promise<void> | void;
  onClose(line: Line): void;
  onError(error: unknown): void;
};

/** Leads a new connection through the handshake and hands over its stanzas, one after the other. */
export function answerLine(socket: WebSocket, server: ServerIdentity, events: LineEvents): void {
  let received: Buffer = Buffer.alloc(0);
  let hasIntro = false;
  let handshake: OpenHandshake | undefined;
  let open: { line: Line; transport: FinishedHandshake["transport"] } | undefined;
  let work: Promise<void> = Promise.resolve();

  const sendFrame = (data: Uint8Array): void => {
    if (socket.readyState !== socket.OPEN) return;
    const length = Buffer.alloc(3);
    length.writeUIntBE(data.byteLength, 0, 3);
    socket.send(Buffer.concat([length, data]));
  };

  async function onFrame(frame: Buffer): Promise<void> {
    if (open) {
      const { line, transport } = open;
      await events.onStanza(line, await decodeBinaryNode(transport.decrypt(frame)));
      return;
    }
    if (!handshake) {
      handshake = answerHello(frame, server);
      sendFrame(handshake.serverHello);
      return;
    }
    const { noiseKey, payload, transport } = handshake.finish(frame);
    const line: Line = {
      noiseKey,
      payload,
      send: (stanza) => sendFrame(transport.encrypt(encodeBinaryNode(stanza))),
      sendBroken: (frame) => {
        const frames = {
          encryption: () => randomBytes(64),
          // The first byte says whether the rest is compressed.
          node: () => transport.encrypt(Buffer.from([0, 255, 255])),
          compression: () => transport.encrypt(Buffer.concat([Buffer.of(2), randomBytes(32)])),
          empty: () => Buffer.alloc(0),
        };
        sendFrame(frames[frame]());
      },
      close: () => socket.close(),
      cut: () => socket.terminate(),
      get isOpen() {
        return socket.readyState === socket.OPEN;
      },
    };
    open = { line, transport };
    events.onLine(line);
  }

  function onData(data: RawData): void {
    received = Buffer.concat([received, bufferOf(data)]);
    if (!hasIntro) {
      if (received.length < NOISE_WA_HEADER.length) return;
      received = received.subarray(NOISE_WA_HEADER.length);
      hasIntro = true;
    }
    while (received.length >= 3 && received.length >= 3 + received.readUIntBE(0, 3)) {
      const end = 3 + received.readUIntBE(0, 3);
      const frame = received.subarray(3, end);
      received = received.subarray(end);
      work = work.then(() => onFrame(frame)).catch(events.onError);
    }
  }

  socket.on("message", onData);
  socket.on("error", () => socket.terminate());
  socket.on("close", () => {
    work = work.then(() => {
      if (open) events.onClose(open.line);
    });
  });
}

function bufferOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
