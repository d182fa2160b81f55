import {
  aesDecryptGCM,
  aesEncryptGCM,
  Curve,
  hkdf,
  NOISE_MODE,
  NOISE_WA_HEADER,
  proto,
  sha256,
} from "baileys";
import type { ServerIdentity } from "./noise-identity.ts";

/** A handshake as the server sees it: the client's hello has been answered, its finish is awaited. */
export type OpenHandshake = {
  serverHello: Uint8Array;
  /** Takes the client's finish; throws when it was not encrypted for this handshake. */
  finish(message: Uint8Array): FinishedHandshake;
};

export type FinishedHandshake = {
  /** The client's static key: who it is, for the server. */
  noiseKey: Buffer;
  payload: proto.ClientPayload;
  transport: Transport;
};

export type Transport = {
  encrypt(plain: Uint8Array): Buffer;
  decrypt(cipher: Uint8Array): Buffer;
};

const NOTHING = Buffer.alloc(0);

/** The server's side of Noise XX: `client` is the first message that came. */
export function answerHello(client: Uint8Array, server: ServerIdentity): OpenHandshake {
  const { clientHello } = proto.HandshakeMessage.decode(client);
  if (!clientHello?.ephemeral) throw new Error("not a client's hello");
  const theirs = clientHello.ephemeral;
  const ours = Curve.generateKeyPair();
  const state = createHandshakeState();
  state.authenticate(NOISE_WA_HEADER);
  state.authenticate(theirs);
  state.authenticate(ours.public);
  state.mix(Curve.sharedKey(ours.private, theirs));
  const encryptedStatic = state.encrypt(server.keys.public);
  state.mix(Curve.sharedKey(server.keys.private, theirs));
  const payload = state.encrypt(server.certificateChain);
  return {
    serverHello: proto.HandshakeMessage.encode({
      serverHello: { ephemeral: ours.public, static: encryptedStatic, payload },
    }).finish(),
    finish: (message) => {
      const { clientFinish } = proto.HandshakeMessage.decode(message);
      if (!clientFinish?.static || !clientFinish.payload) throw new Error("not a client's finish");
      const noiseKey = state.decrypt(clientFinish.static);
      state.mix(Curve.sharedKey(ours.private, noiseKey));
      const payload = proto.ClientPayload.decode(state.decrypt(clientFinish.payload));
      return { noiseKey, payload, transport: state.split() };
    },
  };
}

function createHandshakeState() {
  const mode = Buffer.from(NOISE_MODE);
  let hash = mode.byteLength === 32 ? mode : sha256(mode);
  let salt = hash;
  let key = hash;
  let counter = 0;
  const authenticate = (data: Uint8Array): void => {
    hash = sha256(Buffer.concat([hash, data]));
  };
  const derive = (secret: Uint8Array): [Buffer, Buffer] => {
    const both = Buffer.from(hkdf(Buffer.from(secret), 64, { salt, info: "" }));
    return [both.subarray(0, 32), both.subarray(32)];
  };
  return {
    authenticate,
    mix: (secret: Uint8Array): void => {
      [salt, key] = derive(secret);
      counter = 0;
    },
    encrypt: (plain: Uint8Array): Buffer => {
      const cipher = aesEncryptGCM(plain, key, ivOf(counter++), hash);
      authenticate(cipher);
      return cipher;
    },
    decrypt: (cipher: Uint8Array): Buffer => {
      const plain = aesDecryptGCM(cipher, key, ivOf(counter++), hash);
      authenticate(cipher);
      return plain;
    },
    /** The client writes with the first key, so the server reads with it. */
    split: (): Transport => {
      const [readKey, writeKey] = derive(NOTHING);
      let read = 0;
      let written = 0;
      return {
        encrypt: (plain) => aesEncryptGCM(plain, writeKey, ivOf(written++), NOTHING),
        decrypt: (cipher) => aesDecryptGCM(cipher, readKey, ivOf(read++), NOTHING),
      };
    },
  };
}

function ivOf(counter: number): Buffer {
  const iv = Buffer.alloc(12);
  iv.writeUInt32BE(counter, 8);
  return iv;
}
