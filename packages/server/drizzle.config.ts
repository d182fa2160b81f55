import { defineConfig } from "drizzle-kit";

/** `npx drizzle-kit generate -w packages/server` writes the next migration from the schema. */
export default defineConfig({
  dialect: "postgresql",
  schema: ["./src/platform/db/schema/*.ts", "./src/channels/*/schema.ts"],
  out: "./migrations",
});
