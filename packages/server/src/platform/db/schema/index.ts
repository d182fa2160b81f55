export * from "./answers.ts";
export * from "./attendances.ts";
export * from "./companies.ts";
export * from "./connections.ts";
export * from "./contacts.ts";
export * from "./messages.ts";
export * from "./queues.ts";
export * from "./tickets.ts";
