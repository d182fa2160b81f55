import type { z } from "zod";
import type { ErrorCode } from "./errors.ts";
import type { Permission } from "./permissions.ts";

export type HttpMethod = "GET" | "POST" | "PUT" | "DELETE";
export type EndpointKey = `${HttpMethod} /${string}`;

/**
 * One call of the product. The server registers its routes from these, the web derives its typed client from them,
 * OpenAPI is generated from them. Paths are below `/api`; parameters are `:name`, where an id parameter is named after
 * the thing it identifies (`:ticketId`), which lets tests build the matrix "id of another company → 404".
 */
export type Endpoint = {
  summary: string;
  /** `none`: public; `cookie`: by the refresh cookie; `bearer`: a signed-in user. */
  auth: "none" | "cookie" | "bearer";
  permission?: Permission;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Files come as multipart/form-data, text fields before them (wire-contract 9). */
  upload?: EndpointUpload;
  reply: z.ZodType;
  /** Success status, 200 unless said. */
  status?: 200 | 201 | 204;
  /** Codes this call can answer beyond those of every call (400 malformed, 401, 403, 429, 503). */
  errors: readonly ErrorCode[];
};

/** What a multipart request may hold. Numbers and sizes of files are limited by `limits` as well. */
export type EndpointUpload = {
  field: "medias" | "file";
  maxFiles: number;
  /** The text fields; one that is sent several times is a list. */
  fields: z.ZodObject;
};

/** Keeps the literal types of a table of endpoints. */
export function defineEndpoints<const T extends Record<EndpointKey, Endpoint>>(endpoints: T): T {
  return endpoints;
}

type Output<E, K extends "params" | "query" | "body"> = E extends { [P in K]: infer S }
  ? S extends z.ZodType
    ? z.output<S>
    : undefined
  : undefined;

type Input<E, K extends "params" | "query" | "body"> = E extends { [P in K]: infer S }
  ? S extends z.ZodType
    ? z.input<S>
    : undefined
  : undefined;

/** The parsed text fields of a multipart request, for calls that take one. */
export type EndpointUploadFields<E extends Endpoint> = E extends { upload: { fields: infer S } }
  ? S extends z.ZodObject
    ? z.output<S>
    : never
  : never;

/** What a handler receives, parsed. */
export type EndpointInput<E extends Endpoint> = {
  params: Output<E, "params">;
  query: Output<E, "query">;
  body: Output<E, "body">;
};

/** What a caller passes, before parsing; parts the endpoint does not have are absent. */
export type EndpointRequest<E extends Endpoint> = {
  [K in "params" | "query" | "body" as Input<E, K> extends undefined ? never : K]: Input<E, K>;
};

/** What a handler returns (before the reply schema strips undeclared fields). */
export type EndpointResult<E extends Endpoint> = z.input<E["reply"]>;

/** What a caller gets. */
export type EndpointReply<E extends Endpoint> = z.output<E["reply"]>;
