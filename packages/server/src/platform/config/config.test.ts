import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { ConfigError, readConfig } from "./config.ts";

test("an empty environment gives the documented defaults", () => {
  const config = readConfig({});
  expect(config).toMatchObject({
    port: 8080,
    dataDir: resolve("./data"),
    databaseUrl: undefined,
    demo: true,
    frontendOrigins: [],
    metricsToken: undefined,
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

test.each([
  "http://localhost:8080",
  "http://192.0.2.7",
  "https://[2001:db8::1]:8443/",
  "https://inbox.example",
])("%s may be the public address", (url) => {
  expect(readConfig({ BALCAO_PUBLIC_URL: url }).publicUrl).toBe(url.replace(/\/$/, ""));
});

test("no other address may be the public one, and open metrics need a token", () => {
  for (const url of ["ftp://inbox.example", "inbox.example", "javascript:alert(1)"]) {
    expect(() => readConfig({ BALCAO_PUBLIC_URL: url })).toThrow(/BALCAO_PUBLIC_URL/);
  }
  const open = { BALCAO_METRICS: "open" };
  expect(() => readConfig(open)).toThrow(/BALCAO_METRICS_TOKEN/);
  const token = "0123456789abcdef";
  expect(readConfig({ ...open, BALCAO_METRICS_TOKEN: token }).metricsToken).toBe(token);
});

describe("e-mail", () => {
  const mailOf = (SMTP_URL: string, MAIL_FROM = "Conecta Sul <no-reply@conecta.example>") =>
    readConfig({ SMTP_URL, MAIL_FROM });

  test("without a server it is kept, and the sender may have a name already", () => {
    expect(readConfig({})).toMatchObject({ smtp: null, mailFrom: { name: "", address: "" } });
    expect(readConfig({ MAIL_FROM: '"Sul, Conecta" <a@b.example>' }).mailFrom).toEqual({
      ...{ name: "Sul, Conecta", address: "a@b.example" },
    });
    expect(mailOf("smtp://mail.example", "a@b.example").mailFrom).toEqual({
      ...{ name: "", address: "a@b.example" },
    });
  });

  test.each([
    ["smtps://mail.example", { port: 465, user: null, tls: "always" }],
    [
      "smtp://us%40er:p%2Fw@mail.example:2525",
      { port: 2525, user: { name: "us@er", password: "p/w" }, tls: "starttls" },
    ],
    ["smtp://[::1]", { host: "::1", port: 587, tls: "starttls" }],
    ["smtp://127.0.0.1:25?insecure", { port: 25, tls: "none" }],
    // Nothing takes the encryption from a server that has it from the start.
    ["smtps://mail.example?insecure", { tls: "always" }],
  ])("%s", (url, expected) => {
    expect(mailOf(url).smtp).toMatchObject(expected);
  });

  test("a server needs a sender, and wrong values are named without being shown", () => {
    expect(() => readConfig({ SMTP_URL: "smtp://mail.example" })).toThrow(/MAIL_FROM/);
    for (const url of ["http://mail.example", "mail.example", "smtp://", "smtp://eu:s%gredo@x"]) {
      expect(() => mailOf(url)).toThrow(/SMTP_URL/);
      expect(() => mailOf(url)).not.toThrow(/gredo/);
    }
    for (const from of [
      "Conecta",
      "a@b.example, c@d.example",
      "Conecta <a@b",
      "x\r\nBcc: <a@b.example>",
    ]) {
      expect(() => mailOf("smtp://mail.example", from)).toThrow(/MAIL_FROM/);
    }
  });
});
