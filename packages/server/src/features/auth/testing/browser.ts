import type { SignInApp } from "./sign-in-app.ts";
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest();
const base64 = (data: Uint8Array): string => Buffer.from(data).toString("base64url");

const [PRESENT, VERIFIED, ATTESTED] = [0x01, 0x04, 0x40];

export type PasskeyAnswer = {
  challenge: string;
  origin: string;
  host: string;
  counter?: number;
  /** Whether the authenticator has checked who uses it. */
  isVerified?: boolean;
};

/** An authenticator with one key, which answers as browsers pass it on. */
export function createPasskey() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(16);
  // COSE: an EC2 key of P-256 for ES256.
  const cose = Buffer.concat([
    Buffer.from("a5010203262001215820", "hex"),
    Buffer.from(x, "base64url"),
    Buffer.from("225820", "hex"),
    Buffer.from(y, "base64url"),
  ]);

  const clientData = (type: string, { challenge, origin }: PasskeyAnswer) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const authenticatorData = (
    flags: number,
    { host, counter = 0, isVerified = true }: PasskeyAnswer,
  ) => {
    const head = Buffer.alloc(5);
    head.writeUInt8(flags | PRESENT | (isVerified ? VERIFIED : 0));
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(host), head]);
  };
  const answer = (response: Record<string, unknown>) => ({
    ...{ id: base64(id), rawId: base64(id), type: "public-key", response },
    clientExtensionResults: {},
  });

  return {
    register(asked: PasskeyAnswer) {
      const idLength = Buffer.alloc(2);
      idLength.writeUInt16BE(id.length);
      const authData = Buffer.concat([
        ...[authenticatorData(ATTESTED, asked), Buffer.alloc(16), idLength, id, cose],
      ]);
      // CBOR: {fmt: "none", attStmt: {}, authData}
      const attestation = Buffer.concat([
        Buffer.from("a363666d74646e6f6e656761747453746d74a0686175746844617461", "hex"),
        Buffer.from([0x58, authData.length]),
        authData,
      ]);
      return answer({
        clientDataJSON: base64(clientData("webauthn.create", asked)),
        attestationObject: base64(attestation),
        transports: ["internal"],
      });
    },
    assert(asked: PasskeyAnswer) {
      const data = clientData("webauthn.get", asked);
      const authData = authenticatorData(0, asked);
      const signature = sign("sha256", Buffer.concat([authData, sha256(data)]), privateKey);
      return answer({
        ...{ clientDataJSON: base64(data), authenticatorData: base64(authData) },
        signature: base64(signature),
      });
    },
  };
}

export type Body = {
  code: string;
  data: { challenge: string; setUpToken: string };
} & { [key: string]: unknown };

/** A browser that keeps its cookies; `process` is the one that it reaches unless a call says another. */
export function browserOf(process: SignInApp) {
  const cookies = new Map<string, string>();
  async function send(
    call: string,
    { token, body, at = process }: { token?: string; body?: unknown; at?: SignInApp } = {},
  ): Promise<{ status: number; body: Body }> {
    const [method = "", path = ""] = call.split(" ");
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const agent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0.0.0 Safari/537.36";
    const reply = await at.call(method, `/api${path}`, {
      ...(token === undefined ? {} : { token }),
      ...(body === undefined ? {} : { body }),
      headers: { cookie, "user-agent": agent },
    });
    for (const line of reply.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return { status: reply.status, body: reply.body as Body };
  }
  return { send, cookies };
}

export type Browser = ReturnType<typeof browserOf>;
