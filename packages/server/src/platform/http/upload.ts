import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import type { EndpointUpload } from "@balcao/contract";
import { limits } from "@balcao/contract";
import { Busboy } from "@fastify/busboy";
import type { z } from "zod";
import { DomainError } from "../context.ts";
import { malformed, setDeadline } from "./body.ts";

/** A caption and an id for each file, and the fields that older clients add. */
const MAX_FIELDS = 4 * limits.mediasPerRequest;
/** The longest text, in UTF-8. */
const MAX_FIELD_BYTES = 3 * limits.messageBodyMax;
const MAX_HEADER_BYTES = 8_192;
/** Time limit between two chunks while we wait for the client. */
const SILENCE_MS = 60_000;
/** Time limit for the unread rest of a request, which is discarded. */
const REST_MS = 30_000;

/** A file of a multipart request. Its name and type are the client's claims. */
export type UploadedFile = {
  name: string;
  claimedMime: string;
  /** Read at most once, and before the next file is requested; the unread rest is discarded. */
  content: AsyncIterable<Uint8Array>;
};

/** An upload before its text fields are typed; see `Upload`. */
export type ReceivedUpload = {
  /** All fields once the files have been read; before that, at least those in front of the first file. */
  fields(): Promise<Record<string, unknown>>;
  files(): AsyncIterable<UploadedFile>;
  /** Discards the unread rest. The connection stays usable if it arrives soon. */
  finish(): void;
};

type Arrived = { name: string; claimedMime: string; stream: Readable };

/** Reads a multipart request at the pace of its handler. */
export function receiveUpload(raw: IncomingMessage, rule: EndpointUpload): ReceivedUpload {
  const texts = new Map<string, string[]>();
  const arrived: Arrived[] = [];
  let current: Arrived | undefined;
  let sawFile = false;
  let isComplete = false;
  let failure: DomainError | undefined;
  let changed = Promise.withResolvers<void>();
  let stop: (() => void) | undefined;

  function tellChange(): void {
    changed.resolve();
    changed = Promise.withResolvers();
  }

  function fail(error: DomainError): void {
    if (failure || isComplete) return;
    failure = error;
    for (const { stream } of [...arrived, ...(current ? [current] : [])]) stream.destroy(error);
    tellChange();
  }

  function takeText(name: string, value: string, isCut: boolean): void {
    if (isCut) return fail(malformed(`body.${name}`, "is too long"));
    // Every line end of a form travels as CRLF (HTML, multipart/form-data encoding).
    const text = value.replaceAll("\r\n", "\n");
    const values = texts.get(name);
    if (values) values.push(text);
    else texts.set(name, [text]);
  }

  function takeFile(field: string, stream: Readable, name: string, claimedMime: string): void {
    // The reader of the content gets the error; without a reader it must not crash the process.
    stream.on("error", () => undefined);
    sawFile = true;
    if (field !== rule.field) fail(malformed(`body.${field}`, `files are sent as ${rule.field}`));
    if (failure) stream.destroy();
    else arrived.push({ name, claimedMime, stream });
    tellChange();
  }

  function begin(): void {
    if (stop || failure) return;
    const parser = openParser(raw, rule);
    if (parser === null) return fail(malformed("body", "is not multipart/form-data"));
    parser.on("field", (name, value, _isNameCut, isCut) => takeText(name, value, isCut));
    parser.on("file", (field, stream, name: string | undefined, _encoding, mime) =>
      takeFile(field, stream, name ?? "", mime),
    );
    parser.on("filesLimit", () =>
      fail(new DomainError("ERR_TOO_MANY_FILES", { maxFiles: rule.maxFiles })),
    );
    for (const limit of ["fieldsLimit", "partsLimit"] as const) {
      parser.on(limit, () => fail(malformed("body", "has too many parts")));
    }
    parser.on("error", () => fail(malformed("body", "is not whole")));
    parser.on("finish", () => {
      isComplete = true;
      tellChange();
    });
    raw.on("error", () => fail(malformed("body", "is not whole")));
    raw.once("close", () => {
      // A complete request may close while its files are still being read.
      if (!raw.complete) fail(malformed("body", "is not whole"));
    });
    const unwatch = watchSilence(raw);
    raw.pipe(parser);
    stop = () => {
      unwatch();
      raw.unpipe(parser);
    };
  }

  async function waitUntil(isReached: () => boolean): Promise<void> {
    begin();
    const isOver = (): boolean => failure !== undefined || isComplete || isReached();
    while (!isOver()) await changed.promise;
    if (failure) throw failure;
  }

  /** The fields that have arrived, by the rule; a schema of optional ones accepts that others are still to come. */
  function parse<S extends z.ZodObject>(schema: S): z.output<S> {
    const values = [...texts].map(([name, list]) => [name, list.length === 1 ? list[0] : list]);
    const parsed = schema.safeParse(Object.fromEntries(values));
    if (parsed.success) return parsed.data;
    throw new DomainError("ERR_INVALID_REQUEST", {
      issues: parsed.error.issues.map(({ path, message }) => ({
        path: ["body", ...path].join("."),
        message,
      })),
    });
  }

  async function* contentOf(stream: Readable): AsyncGenerator<Uint8Array> {
    const chunks: AsyncIterable<Uint8Array> = stream.iterator({ destroyOnReturn: false });
    try {
      yield* chunks;
    } catch (error) {
      throw failure ?? error;
    }
    if (failure) throw failure;
  }

  return {
    async fields() {
      await waitUntil(() => sawFile);
      return parse(rule.fields);
    },

    async *files() {
      await waitUntil(() => sawFile);
      parse(rule.fields.partial());
      for (;;) {
        await waitUntil(() => arrived.length > 0);
        current = arrived.shift();
        if (!current) {
          parse(rule.fields);
          return;
        }
        const { name, claimedMime, stream } = current;
        yield { name, claimedMime, content: contentOf(stream) };
        stream.resume();
      }
    },

    finish() {
      fail(malformed("body", "was not read"));
      stop?.();
      stop = () => undefined;
      if (raw.complete) return;
      raw.resume();
      setDeadline(raw, REST_MS);
    },
  };
}

/** The upload of a request without a body. */
export function emptyUpload(rule: EndpointUpload): ReceivedUpload {
  return {
    fields: async () => rule.fields.parse({}),
    files: async function* () {
      // No files.
    },
    finish: () => undefined,
  };
}

function openParser(raw: IncomingMessage, rule: EndpointUpload) {
  try {
    return new Busboy({
      headers: { ...raw.headers, "content-type": raw.headers["content-type"] ?? "" },
      limits: {
        fields: MAX_FIELDS,
        fieldSize: MAX_FIELD_BYTES,
        files: rule.maxFiles,
        parts: MAX_FIELDS + rule.maxFiles + 1,
        headerPairs: 20,
        headerSize: MAX_HEADER_BYTES,
      },
    });
  } catch {
    // The content type has no boundary.
    return null;
  }
}

/** Closes the connection of a client that sends nothing while we wait. While we are busy, it cannot send. */
function watchSilence(raw: IncomingMessage): () => void {
  const heard = (): void => setDeadline(raw, SILENCE_MS);
  const busy = setInterval(() => {
    if (raw.isPaused()) heard();
  }, SILENCE_MS / 4).unref();
  heard();
  raw.on("data", heard);
  return () => {
    clearInterval(busy);
    raw.off("data", heard);
  };
}
