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

test("the first passwords are printed, or go to a file on request", () => {
  expect(readConfig({}).firstPasswords).toBe("print");
  expect(readConfig({ BALCAO_FIRST_PASSWORDS: "file" }).firstPasswords).toBe("file");
  expect(() => readConfig({ BALCAO_FIRST_PASSWORDS: "mail" })).toThrow(/BALCAO_FIRST_PASSWORDS/);
});

test("the object storage is an address, with both keys or none", () => {
  expect(readConfig({})).toMatchObject({ media: null, s3: { endpoint: null, keys: null } });
  const keys = { BALCAO_S3_ACCESS_KEY: "open", BALCAO_S3_SECRET_KEY: "sesame" };
  const placed = (BALCAO_MEDIA: string) => readConfig({ ...keys, BALCAO_MEDIA }).media;
  expect(placed("s3://files")).toEqual({ bucket: "files", prefix: "" });
  expect(placed("s3://files/a/b/")).toEqual({ bucket: "files", prefix: "a/b/" });
  for (const wrong of ["files", "s3://", "s3://Files", "http://host/files", "s3://files/a b"]) {
    expect(() => placed(wrong)).toThrow(/BALCAO_MEDIA/);
  }
  const { BALCAO_S3_SECRET_KEY } = keys;
  expect(() => readConfig({ BALCAO_S3_SECRET_KEY })).toThrow(/BALCAO_S3_ACCESS_KEY/);
  expect(() => readConfig({ BALCAO_S3_SECRET_KEY })).not.toThrow(/sesame/);
  expect(readConfig(keys).s3.keys).toEqual({ accessKeyId: "open", secretAccessKey: "sesame" });
});

test("a direct address needs the one of a pooler", () => {
  const DATABASE_DIRECT_URL = "postgres://server/inbox";
  expect(() => readConfig({ DATABASE_DIRECT_URL })).toThrow(/DATABASE_URL/);
  const pooled = { DATABASE_DIRECT_URL, DATABASE_URL: "postgres://pooler/inbox" };
  expect(readConfig(pooled)).toMatchObject({
    ...{ databaseUrl: "postgres://pooler/inbox", databaseDirectUrl: DATABASE_DIRECT_URL },
    databasePrepared: true,
  });
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

test("backups have a place, a time of UTC, a number that stays and a key, and are off at first", () => {
  expect(readConfig({}).backup).toEqual({
    ...{ to: null, atMinute: 390, keep: 14, keyFile: null, isVerified: false },
  });
  const set = {
    ...{ BALCAO_BACKUP_TO: "s3://copies/balcao", BALCAO_BACKUP_AT: "03:05" },
    ...{ BALCAO_BACKUP_KEEP: "3", BALCAO_BACKUP_KEY_FILE: "/k", BALCAO_BACKUP_VERIFY: "on" },
  };
  expect(readConfig(set).backup).toEqual({
    ...{ to: "s3://copies/balcao", atMinute: 185, keep: 3, keyFile: "/k", isVerified: true },
  });
  expect(() => readConfig({ BALCAO_BACKUP_AT: "25:00" })).toThrow(/BALCAO_BACKUP_AT/);
  expect(() => readConfig({ BALCAO_BACKUP_TO: "s3:///x" })).toThrow(/BALCAO_BACKUP_TO/);
});

test("the source of an import is an address of PostgreSQL, which an error does not repeat", () => {
  expect(readConfig({}).whaticket).toEqual({ isConfigured: false, hasMedia: false });
  const from = "postgres://leitor:segredo@host/whaticket";
  expect(readConfig({ WHATICKET_DATABASE_URL: from, WHATICKET_MEDIA: "/srv" }).whaticket).toEqual({
    isConfigured: true,
    hasMedia: true,
  });
  const wrong = () => readConfig({ WHATICKET_DATABASE_URL: "mysql://leitor:segredo@host" });
  expect(wrong).toThrow(/WHATICKET_DATABASE_URL/);
  expect(wrong).not.toThrow(/segredo/);
});

test("traces go where the standard's variables say, and nowhere without them; a slow statement has a limit", () => {
  expect(readConfig({})).toMatchObject({ tracing: null, slowStatementMs: 500 });
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" };
  expect(readConfig(endpoint).tracing).toEqual({
    ...{ url: "http://collector:4318/v1/traces", serviceName: "balcao", everyMs: 5_000 },
    ...{ sampler: "parentbased_always_on", samplerRatio: 1 },
  });
  const set = {
    ...{ ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://other:4318/traces" },
    ...{ OTEL_SERVICE_NAME: "filial", OTEL_TRACES_SAMPLER: "traceidratio" },
    ...{ OTEL_TRACES_SAMPLER_ARG: "0.05", OTEL_BSP_SCHEDULE_DELAY: "100" },
  };
  expect(readConfig(set).tracing).toEqual({
    ...{ url: "http://other:4318/traces", serviceName: "filial", everyMs: 100 },
    ...{ sampler: "traceidratio", samplerRatio: 0.05 },
  });
  expect(() => readConfig({ OTEL_TRACES_SAMPLER: "often" })).toThrow(/OTEL_TRACES_SAMPLER/);
  expect(readConfig({ BALCAO_SLOW_STATEMENT_MS: "50" }).slowStatementMs).toBe(50);
});
