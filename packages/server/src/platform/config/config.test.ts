import { resolve } from "node:path";
import { expect, test } from "vitest";
import { ConfigError, readConfig } from "./config.ts";

test("an empty environment gives the documented defaults", () => {
  const config = readConfig({});
  expect(config).toMatchObject({
    port: 8080,
    dataDir: resolve("./data"),
    databaseUrl: undefined,
    demo: true,
    frontendOrigins: [],
    metrics: "loopback",
  });
  expect([...config.roles]).toEqual(["http", "jobs", "channels"]);
});

test("empty texts mean not set", () => {
  const config = readConfig({ DATABASE_URL: " ", BALCAO_ADMIN_EMAIL: "", ROLES: "" });
  expect(config).toMatchObject({ databaseUrl: undefined, adminEmail: undefined });
  expect(config.roles.size).toBe(3);
});

test("the super user's password is none of the common ones", () => {
  expect(() => readConfig({ BALCAO_ADMIN_PASSWORD: "Senha@123" })).toThrow(/PASSWORD: easy/);
  expect(readConfig({ BALCAO_ADMIN_PASSWORD: "uma frase" }).adminPassword).toBe("uma frase");
});

test("every wrong variable is named, never its value", () => {
  const wrong = { PORT: "http", BALCAO_ADMIN_PASSWORD: "curta", ROLES: "http,web" };
  expect(() => readConfig(wrong)).toThrow(ConfigError);
  expect(() => readConfig(wrong)).toThrow(/PORT[^]*BALCAO_ADMIN_PASSWORD[^]*ROLES/);
  expect(() => readConfig(wrong)).not.toThrow(/curta/);
});
