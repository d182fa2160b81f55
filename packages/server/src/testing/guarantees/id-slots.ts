import type { Endpoint, EndpointName } from "@balcao/contract";
import { endpoints, id, messageId } from "@balcao/contract";
import { z } from "zod";

/** A place of a request that names a row: `PUT /tickets/:ticketId body.userId`. */
export type IdSlot = `${EndpointName} ${"params" | "query" | "body"}.${string}`;

/** The contract's id schemas; brands leave the schema the same object. */
const idSchemas = new Set<unknown>([id, messageId]);

/** Names that promise an id whatever their schema is. */
const idName = /(id|ids|uuid|uuids)$/i;

/** Every place of every call's request that names a row, found by its schema or by its name. */
export function findIdSlots(): IdSlot[] {
  return (Object.keys(endpoints) as EndpointName[]).flatMap((name) => {
    const { params, query, body }: Endpoint = endpoints[name];
    const parts = { params, query, body };
    return (["params", "query", "body"] as const).flatMap((part) => {
      const schema = parts[part];
      const paths = schema ? new Set(idPaths(schema, "")) : [];
      return [...paths].map((path): IdSlot => `${name} ${part}.${path}`);
    });
  });
}

/** Dotted paths below a schema that lead to ids. */
function idPaths(schema: unknown, path: string): string[] {
  if (idSchemas.has(schema)) return [path];
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([key, child]) => {
      const below = path === "" ? key : `${path}.${key}`;
      return idName.test(key) ? [below] : idPaths(child, below);
    });
  }
  return childrenOf(schema).flatMap((child) => idPaths(child, path));
}

function childrenOf(schema: unknown): readonly unknown[] {
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodUnion) return schema.options;
  // Ids may be a record's keys as well as its values.
  if (schema instanceof z.ZodRecord) return [schema.keyType, schema.valueType];
  // The input may be a text, and the ids are in the output (`queryJsonList`).
  if (schema instanceof z.ZodPipe) return [schema.in, schema.out];
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNonOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  ) {
    return [schema.unwrap()];
  }
  if (schema instanceof z.ZodType && containerFields.some((field) => field in schema.def)) {
    throw new Error(`a schema of kind ${schema.def.type} may hide ids: teach childrenOf about it`);
  }
  return [];
}

/** Where definitions of schemas keep the schemas inside them. */
const containerFields = [
  "innerType",
  "element",
  "options",
  "in",
  "shape",
  "valueType",
  "items",
  "left",
  "getter",
];
