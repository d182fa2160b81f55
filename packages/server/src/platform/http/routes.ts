import type { EndpointName, Endpoints, InputOf, ResultOf } from "@balcao/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { UserCtx } from "../context.ts";

/** What a handler is given: the parsed parts of the request and, where a bearer is required, who asks. */
export type RouteInput<K extends EndpointName> = InputOf<K> & {
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
