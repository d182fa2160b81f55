import { createPrivateKey } from "node:crypto";
import { importPKCS8, SignJWT } from "jose";
import { z } from "zod";
import type { GuardedFetch } from "../../platform/http/guarded-fetch.ts";
import type { Clock } from "../../platform/sources.ts";
import type { ServiceAccount } from "./secrets.ts";

/** Google's addresses; stubs have others. */
export type GoogleAddresses = { token: string; dialogflow: string };
export const googleAddresses: GoogleAddresses = {
  token: "https://oauth2.googleapis.com/token",
  dialogflow: "https://dialogflow.googleapis.com",
};

export type DialogflowDeps = { clock: Clock; fetch: GuardedFetch; google: GoogleAddresses };

/** An agent of a Google project, with the key that may ask it. */
export type Agent = { account: ServiceAccount; language: string };
export type DialogflowQuery = { text: string } | { audio: Uint8Array };
export type DialogflowReply = { texts: string[]; isOver: boolean };

/** Google refused the key, or the project. */
export class DialogflowRefused extends Error {
  override readonly name = "DialogflowRefused";
  /** Null: it was not asked. */
  readonly status: number | null;

  constructor(status: number | null) {
    super(`status ${status}`);
    this.status = status;
  }
}

const MAX_BYTES = 2_000_000;
const SCOPE = "https://www.googleapis.com/auth/dialogflow";
const TOKEN_SECONDS = 3_600;
/** A token is not used in its last minute. */
const MARGIN_MS = 60_000;
const TOKENS_KEPT = 500;

const tokenReply = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });
const detectReply = z.object({
  queryResult: z.object({
    fulfillmentMessages: z
      .array(z.object({ text: z.object({ text: z.array(z.string()).optional() }).optional() }))
      .optional(),
    diagnosticInfo: z.looseObject({}).optional(),
  }),
});

/** Asks Dialogflow agents by REST (v2) and keeps the tokens of their keys. */
export function createDialogflow({ clock, fetch, google }: DialogflowDeps) {
  /** By the key itself: a changed one gets a new token. */
  const tokens = new Map<string, { token: string; until: number }>();

  async function tokenOf(account: ServiceAccount, signal: AbortSignal): Promise<string> {
    const id = `${account.client_email} ${account.private_key}`;
    const nowMs = clock.now().getTime();
    const known = tokens.get(id);
    if (known && known.until > nowMs) return known.token;
    const key = await importPKCS8(pkcs8Of(account.private_key), "RS256");
    const at = Math.floor(nowMs / 1_000);
    const assertion = await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: "RS256", typ: "JWT" })
      .setIssuer(account.client_email)
      .setAudience(googleAddresses.token)
      .setIssuedAt(at)
      .setExpirationTime(at + TOKEN_SECONDS)
      .sign(key);
    const grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
    const response = await fetch(google.token, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ grant_type: grant, assertion }).toString(),
      ...{ signal, maxBytes: MAX_BYTES },
    });
    const { access_token: token, expires_in: seconds } = tokenReply.parse(await jsonOf(response));
    if (tokens.size >= TOKENS_KEPT) tokens.clear();
    tokens.set(id, { token, until: nowMs + seconds * 1_000 - MARGIN_MS });
    return token;
  }

  return {
    /** Throws `DialogflowRefused`, and what `fetch` throws. */
    async detectIntent(
      { account, language }: Agent,
      session: string,
      query: DialogflowQuery,
      signal: AbortSignal,
    ): Promise<DialogflowReply> {
      const token = await tokenOf(account, signal);
      const project = encodeURIComponent(account.project_id);
      const path = `/v2/projects/${project}/agent/sessions/${encodeURIComponent(session)}`;
      const response = await fetch(`${google.dialogflow}${path}:detectIntent`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(bodyOf(query, language)),
        ...{ signal, maxBytes: MAX_BYTES },
      });
      return toReply(await jsonOf(response));
    },
  };
}

/** Old keys are PKCS 1; the library reads PKCS 8. */
function pkcs8Of(pem: string): string {
  return createPrivateKey(pem).export({ type: "pkcs8", format: "pem" }).toString();
}

function bodyOf(query: DialogflowQuery, languageCode: string): object {
  if ("text" in query) return { queryInput: { text: { text: query.text, languageCode } } };
  const audioConfig = { audioEncoding: "AUDIO_ENCODING_OGG_OPUS", sampleRateHertz: 16_000 };
  return {
    queryInput: { audioConfig: { ...audioConfig, languageCode } },
    inputAudio: Buffer.from(query.audio).toString("base64"),
  };
}

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!response.ok) throw new DialogflowRefused(response.status);
  return JSON.parse(text);
}

function toReply(json: unknown): DialogflowReply {
  const { fulfillmentMessages = [], diagnosticInfo } = detectReply.parse(json).queryResult;
  const texts = fulfillmentMessages.flatMap(({ text }) => text?.text?.[0] ?? []);
  return { texts: texts.filter((text) => text.trim() !== ""), isOver: isOver(diagnosticInfo) };
}

/** REST has the field plain, the library of the product family's servers in protocol buffers' form. */
function isOver(info: Record<string, unknown> | undefined): boolean {
  const ended = z.object({ end_conversation: z.literal(true) });
  const form = z.object({
    fields: z.object({ end_conversation: z.object({ boolValue: z.literal(true) }) }),
  });
  return ended.safeParse(info).success || form.safeParse(info).success;
}
