import type { EndpointName, Endpoints, InputOf, ResultOf, UploadFieldsOf } from "@balcao/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { UserCtx } from "../context.ts";

/** A file of a multipart request, as its sender calls it. Nothing of it is to be believed. */
export type UploadedFile = {
  name: string;
  claimedMime: string;
  /** Read at most once, and before the next file is asked for; what is left over is thrown away. */
  content: AsyncIterable<Uint8Array>;
};

/**
 * A multipart request while it arrives. Nothing is kept in memory but the text fields: who does not read does not
 * receive. Both reject with ERR_INVALID_REQUEST when the body is broken or breaks off, also in the middle of a file.
 */
export type Upload<K extends EndpointName> = {
  /** The text fields, parsed; they come before the files. */
  fields(): Promise<UploadFieldsOf<K>>;
  /** The files in their order. To be walked through once, to its end. */
  files(): AsyncIterable<UploadedFile>;
};

/** The body as JSON, or as multipart: exactly one of `body` and `upload` is there where a call takes both. */
type Sent<K extends EndpointName> = Endpoints[K] extends { upload: unknown }
  ? Endpoints[K] extends { body: unknown }
    ?
        | (InputOf<K> & { upload: null })
        | (Omit<InputOf<K>, "body"> & { body: undefined; upload: Upload<K> })
    : InputOf<K> & { upload: Upload<K> }
  : InputOf<K> & { upload: null };

/** What a handler is given: the parsed parts of the request and, where a bearer is required, who asks. */
export type RouteInput<K extends EndpointName> = Sent<K> & {
  ctx: Endpoints[K]["auth"] extends "bearer" ? UserCtx : null;
  request: FastifyRequest;
  reply: FastifyReply;
};

export type RouteHandler<K extends EndpointName> = (input: RouteInput<K>) => Promise<ResultOf<K>>;

/**
 * The only way to add a call of the product: by its name in the contract's registry. Authentication, permission, parsing
 * and the reply's shape come from there. Registering a call twice, or not at all, stops the start.
 */
export type Routes = {
  handle<K extends EndpointName>(name: K, handler: RouteHandler<K>): void;
};
