export * from "./companies.ts";
export * from "./connections.ts";
export * from "./tickets.ts";
