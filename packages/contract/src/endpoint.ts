import type { z } from "zod";
import type { ApiScope } from "./api-choices.ts";
import type { ErrorCode } from "./errors.ts";
import type { Permission, PlanFlag } from "./permissions.ts";

export type HttpMethod = "GET" | "POST" | "PUT" | "DELETE";
export type EndpointKey = `${HttpMethod} /${string}`;

/**
 * One call of the product. The server registers its routes from these, the web derives its typed client from them,
 * OpenAPI is generated from them. Paths are below `/api`, unless `outsideApi`; parameters are `:name`, where an id parameter is named after
 * the thing it identifies (`:ticketId`), which lets tests build the matrix "id of another company → 404".
 */
export type Endpoint = {
  summary: string;
  /**
   * `none`: public; `cookie`: by the refresh cookie; `bearer`: a signed-in user. Other programs send a token as bearer: a
   * connection's (`connectionToken`, wire-contract 5.20) or a company's (`apiToken`).
   */
  auth: "none" | "cookie" | "bearer" | TokenKind;
  /** The path is below the root of the server. */
  outsideApi?: true;
  permission?: Permission;
  /**
   * The scope that an `apiToken` needs; null: each of its parts has scopes, which the handler checks. The owner of a personal
   * token needs the `permission` too.
   */
  scope?: ApiScope | null;
  /** The plan of a token's company must have this flag. A user's plan is part of the permission. */
  plan?: PlanFlag;
  /**
   * The reply where only the company's plan lacks the permission, for lists that clients read whatever the plan is
   * (wire-contract 4.3). Without it the refusal is 403 as everywhere.
   */
  replyWithoutPlan?: unknown;
  /** Open sessions of a company whose subscription has ended may make this call, and no other. */
  openToExpired?: true;
  /** Users who have to set up a second factor, and have signed in with the password alone, may make this call. */
  openToSetUp?: true;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Files come as multipart/form-data (wire-contract 9). */
  upload?: EndpointUpload;
  reply: z.ZodType;
  /** The reply is a list of any length: its pages are read and sent one after the other. */
  streams?: true;
  /** The reply is a file that is sent while it is made, and `reply` is not read. */
  sendsFile?: true;
  /** GET and DELETE of its path are 405; a call that does not exist is 404 elsewhere. */
  refusesOtherMethods?: true;
  /** Success status, 200 unless said. The handler may set another one on the reply. */
  status?: 200 | 201 | 204;
  /** Codes this call can answer beyond those of every call (400 malformed, 401, 403, 429, 503). */
  errors: readonly ErrorCode[];
};

/** The credentials of other programs. */
export type TokenKind = "connectionToken" | "apiToken";

/** The parts that a multipart request may have. Numbers and sizes of files are limited by `limits` as well. */
export type EndpointUpload = {
  /** The name under which files are sent. */
  field: string;
  maxFiles: number;
  /** The text fields, before, between or after the files; one that is sent several times is a list. */
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

/** The parsed input of a handler. */
export type EndpointInput<E extends Endpoint> = {
  params: Output<E, "params">;
  query: Output<E, "query">;
  body: Output<E, "body">;
};

/** The input of a caller, before parsing; parts the endpoint does not have are absent. */
export type EndpointRequest<E extends Endpoint> = {
  [K in "params" | "query" | "body" as Input<E, K> extends undefined ? never : K]: Input<E, K>;
};

/** A file as a handler returns it; `content` is read once. */
export type SentFile = {
  name: string;
  mime: string;
  content: AsyncIterable<string | Uint8Array>;
};

/** The result of a handler (before the reply schema strips undeclared fields): a list that streams, page by page, or a file. */
export type EndpointResult<E extends Endpoint> = E extends { sendsFile: true }
  ? SentFile
  : E extends { streams: true; reply: z.ZodArray }
    ? AsyncIterable<z.input<E["reply"]>>
    : z.input<E["reply"]>;

/** The reply that a caller gets. */
export type EndpointReply<E extends Endpoint> = z.output<E["reply"]>;
