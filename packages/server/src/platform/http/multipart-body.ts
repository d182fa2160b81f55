import type { FastifyInstance } from "fastify";
import { validatorCompiler } from "fastify-type-provider-zod";
import { DomainError } from "../context.ts";
import { isEmpty } from "./json-body.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The call takes files as multipart/form-data. */
    takesFiles?: boolean;
  }
}

/** Stands for a multipart body, which is not read before somebody asks for it. */
export const MULTIPART: unique symbol = Symbol("multipart");

/** Lets multipart bodies through to the calls that take files; the others refuse them. */
export function acceptMultipart(app: FastifyInstance): void {
  app.addContentTypeParser("multipart/form-data", (request, _payload, done) => {
    if (isEmpty(request.headers)) done(null, undefined);
    else if (request.routeOptions.config.takesFiles === true) done(null, MULTIPART);
    else done(new DomainError("ERR_UNSUPPORTED_MEDIA_TYPE"));
  });
}

/** The contract's schemas, for everything but a multipart body: that is parsed while it is read, see `upload.ts`. */
export const validateParts: typeof validatorCompiler = (route) => {
  const validate = validatorCompiler(route);
  if (route.httpPart !== "body") return validate;
  return (data: unknown) => (data === MULTIPART ? { value: data } : validate(data));
};
