import type { EndpointName, Endpoints, ReplyOf, RequestOf } from "@balcao/contract";
import { callUrl, noReply, renewToken, tokenSecondsLeft, withSession } from "./client.ts";
import type { UploadOptions } from "./send-form.ts";
import { currentSession } from "./session-store.ts";

/** Calls of the contract that take files. */
export type UploadName = {
  [K in EndpointName]: Endpoints[K] extends { upload: unknown } ? K : never;
}[EndpointName];

type FieldOf<K extends UploadName> = Endpoints[K] extends { upload: { field: infer F } }
  ? F & string
  : never;

type ParamsOf<K extends UploadName> =
  RequestOf<K> extends { params: infer P }
    ? P & Readonly<Record<string, string | number>>
    : Readonly<Record<string, never>>;

export type UploadRequest<K extends UploadName> = {
  params: ParamsOf<K>;
  query?: Readonly<Record<string, string>>;
  /** Text fields, sent before the files. A list repeats its field. */
  fields?: Readonly<Record<string, string | readonly string[]>>;
  files: Readonly<Record<FieldOf<K>, readonly File[]>>;
};

/** A token about to end is renewed first, so that a long upload is not refused at its end. */
const TOKEN_SECONDS_MIN = 60;

/**
 * Sends files by the rules of `call`: bearer, one renewal, a 401 ends the session. Throws `ApiError`; when `signal` is
 * aborted by the caller, an `AbortError`.
 */
export async function upload<K extends UploadName>(
  name: K,
  request: UploadRequest<K>,
  options: UploadOptions = {},
): Promise<ReplyOf<K>> {
  const token = currentSession()?.token;
  if (token !== undefined && tokenSecondsLeft(token, Date.now()) < TOKEN_SECONDS_MIN) {
    await renewToken(token);
  }
  const space = name.indexOf(" ");
  const path = name.slice(space + 1);
  const target = {
    method: name.slice(0, space),
    url: callUrl(path, { params: request.params, query: request.query ?? {} }),
  };
  // It is fetched ahead, so it is missing only where nothing can be sent either.
  const { sendForm } = await import("./send-form.ts").catch(() => {
    throw noReply("ERR_NETWORK");
  });
  const reply = await withSession((bearer) =>
    sendForm({ ...target, form: formOf(request), token: bearer }, options),
  );
  // Like every reply: the server builds it by the contract's schemas.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return reply as ReplyOf<K>;
}

function formOf<K extends UploadName>(request: UploadRequest<K>): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(request.fields ?? {})) {
    for (const one of typeof value === "string" ? [value] : value) form.append(field, one);
  }
  for (const [field, files] of Object.entries<readonly File[]>(request.files)) {
    for (const file of files) form.append(field, file, file.name);
  }
  return form;
}
