import { resolve } from "node:path";
import { API_REQUESTS_PER_MINUTE, limits, passwordFault } from "@balcao/contract";
import { z } from "zod";

const flag = (fallback: boolean) =>
  z
    .enum(["on", "off", "true", "false", "1", "0", "yes", "no"])
    .default(fallback ? "on" : "off")
    .transform((value) => ["on", "true", "1", "yes"].includes(value));

const roleNames = ["http", "jobs", "channels"] as const;
export type ProcessRole = (typeof roleNames)[number];

const optionalText = z
  .string()
  .optional()
  .transform((value) => (value === undefined || value.trim() === "" ? undefined : value.trim()));

const commaList = optionalText.transform((value) =>
  (value ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== ""),
);

/** `Name <address>`, or the address alone. */
/** Without slash at its end. */
const bankUrl = optionalText
  .pipe(z.url({ protocol: /^https$/ }).optional())
  .transform((url) => url?.replace(/\/+$/, ""));

const sender = optionalText.transform((value, context) => {
  if (value === undefined) return undefined;
  const [, quoted, bracketed, plain] = /^(?:(.*?)\s*<([^<>\s]+)>|(\S+))$/.exec(value) ?? [];
  const address = z.email().safeParse(bracketed ?? plain);
  if (address.success) return { name: quoted?.replaceAll('"', "") ?? "", address: address.data };
  context.addIssue({ code: "custom", message: "must be an address, or a name with <address>" });
  return z.NEVER;
});

/** With `insecure` in its query the mails of an `smtp` server go unencrypted. */
const mailServer = optionalText
  .pipe(z.url({ protocol: /^smtps?$/, hostname: /./ }).optional())
  .transform((value, context): SmtpConfig | null => {
    if (value === undefined) return null;
    const url = new URL(value);
    const plain = url.searchParams.has("insecure") ? "none" : "starttls";
    const tls = url.protocol === "smtps:" ? "always" : plain;
    const usualPort = tls === "always" ? 465 : 587;
    const host = url.hostname.replaceAll(/[[\]]/g, "");
    try {
      const user = {
        name: decodeURIComponent(url.username),
        password: decodeURIComponent(url.password),
      };
      return {
        host,
        port: Number(url.port) || usualPort,
        user: user.name === "" ? null : user,
        tls,
      };
    } catch {
      context.addIssue({ code: "custom", message: "special characters must be %-escapes" });
      return z.NEVER;
    }
  });

/** `s3://bucket/prefix` as bucket and prefix, which is empty or ends with a slash; null for any other text. */
export function parseS3Address(text: string): S3Place | null {
  const [, bucket, path] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w.!/-]*))?$/.exec(text) ?? [];
  if (bucket === undefined) return null;
  const prefix = (path ?? "").replace(/\/+$/, "");
  return { bucket, prefix: prefix === "" ? "" : `${prefix}/` };
}

const s3Place = optionalText.transform((value, context): S3Place | null => {
  if (value === undefined) return null;
  const place = parseS3Address(value);
  if (place !== null) return place;
  context.addIssue({ code: "custom", message: "must be s3://bucket or s3://bucket/prefix" });
  return z.NEVER;
});

const otlpUrl = optionalText.pipe(z.url({ protocol: /^https?$/ }).optional());
const samplers = [
  ...(["always_on", "always_off", "traceidratio", "parentbased_always_on"] as const),
  ...(["parentbased_always_off", "parentbased_traceidratio"] as const),
] as const;

/** A folder, or the address of an object storage. */
const backupPlace = optionalText.refine(
  (value) => value === undefined || !value.startsWith("s3://") || parseS3Address(value) !== null,
  "must be a folder, s3://bucket or s3://bucket/prefix",
);

const environment = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  HOST: z.string().min(1).default("0.0.0.0"),
  BALCAO_DATA: z.string().min(1).default("./data"),
  DATABASE_URL: optionalText,
  DATABASE_DIRECT_URL: optionalText,
  BALCAO_DATABASE_PREPARED: flag(true),
  BALCAO_DATABASE_POOL: z.coerce.number().int().min(2).max(200).default(16),
  BALCAO_DEMO: flag(true),
  BALCAO_ADMIN_EMAIL: z
    .email()
    .optional()
    .or(z.literal("").transform(() => undefined)),
  BALCAO_ADMIN_PASSWORD: z
    .string()
    .min(8)
    .max(limits.passwordMax)
    .refine((password) => passwordFault(password) === null, "easy to guess")
    .optional()
    .or(z.literal("").transform(() => undefined)),
  BALCAO_FIRST_PASSWORDS: z.enum(["print", "file"]).default("print"),
  BALCAO_FRONTEND_ORIGINS: commaList.pipe(z.array(z.url())),
  // A host without dots and an address are reachable ones too.
  BALCAO_PUBLIC_URL: optionalText.pipe(z.url({ protocol: /^https?$/ }).optional()),
  BALCAO_TRUST_PROXY: flag(false),
  BALCAO_METRICS_TOKEN: optionalText.pipe(z.string().min(16).optional()),
  BALCAO_REQUESTS_PER_MINUTE: z.coerce.number().int().min(10).default(3_000),
  BALCAO_AUTH_REQUESTS_PER_MINUTE: z.coerce.number().int().min(5).default(60),
  BALCAO_API_REQUESTS_PER_MINUTE: z.coerce.number().int().min(10).default(API_REQUESTS_PER_MINUTE),
  BALCAO_DRAIN_SECONDS: z.coerce.number().int().min(0).max(300).default(0),
  BALCAO_COMPANY_AT_ONCE: z.coerce.number().int().min(0).max(200).default(2),
  BALCAO_COMPANY_WAITING: z.coerce.number().int().min(10).max(10_000).default(100),
  BALCAO_COMPANY_SEARCHES: z.coerce.number().int().min(1).max(100).default(2),
  BALCAO_COMPANY_PART: z.coerce.number().int().min(0).max(1_000).default(10),
  BALCAO_COMPANY_FLOOD: z.coerce.number().int().min(0).max(100_000).default(70),
  BALCAO_MAX_EVENT_LOOP_DELAY_MS: z.coerce.number().int().min(0).max(60_000).default(1_000),
  BALCAO_LOG_LEVEL: z
    .enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"])
    .default("warn"),
  BALCAO_LOG_FORMAT: z.enum(["json", "pretty"]).default("json"),
  BALCAO_MEDIA: s3Place,
  BALCAO_S3_ENDPOINT: optionalText.pipe(z.url({ protocol: /^https?$/ }).optional()),
  BALCAO_S3_REGION: z.string().min(1).default("us-east-1"),
  BALCAO_S3_ACCESS_KEY: optionalText,
  BALCAO_S3_SECRET_KEY: optionalText,
  BALCAO_BACKUP_TO: backupPlace,
  BALCAO_BACKUP_AT: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time of UTC such as 06:30")
    .default("06:30"),
  BALCAO_BACKUP_KEEP: z.coerce.number().int().min(1).max(10_000).default(14),
  BALCAO_BACKUP_KEY_FILE: optionalText,
  BALCAO_BACKUP_VERIFY: flag(false),
  WHATICKET_DATABASE_URL: optionalText.pipe(z.url({ protocol: /^postgres(ql)?$/ }).optional()),
  WHATICKET_MEDIA: optionalText,
  FFMPEG_PATH: optionalText,
  SMTP_URL: mailServer,
  MAIL_FROM: sender,
  BALCAO_SEAL_SECRET: optionalText.pipe(z.string().min(32).optional()),
  WHATSAPP_WEB_URL: optionalText.pipe(z.url({ protocol: /^wss?$/ }).optional()),
  WHATSAPP_WEB_ROOT_KEY: optionalText.pipe(
    z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/)
      .optional(),
  ),
  WHATSAPP_WEB_MEDIA_HOST: optionalText,
  BALCAO_PUSH_HOSTS: commaList.pipe(
    z.array(z.string().regex(/^(\*\.)?[a-z\d-]+(\.[a-z\d-]+)*(:(\d{1,5}|\*))?$/)),
  ),
  BALCAO_OUTSIDE_HOSTS: commaList.pipe(z.array(z.string().regex(/^\S+:(\d{1,5}|\*)$/))),
  EFI_API_URL: bankUrl,
  ASAAS_API_URL: bankUrl,
  GRAPH_API_URL: z.url({ protocol: /^https?$/ }).default("https://graph.facebook.com"),
  GRAPH_API_VERSION: z
    .string()
    .regex(/^v\d+\.\d+$/)
    .default("v25.0"),
  GRAPH_API_BSUID_FIELD: z.enum(["recipient", "to"]).default("recipient"),
  ROLES: commaList.pipe(z.array(z.enum(roleNames))),
  BALCAO_SLOW_STATEMENT_MS: z.coerce.number().int().min(1).max(60_000).default(500),
  // The standard's own names.
  OTEL_EXPORTER_OTLP_ENDPOINT: otlpUrl,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: otlpUrl,
  OTEL_SERVICE_NAME: optionalText,
  OTEL_TRACES_SAMPLER: z.enum(samplers).default("parentbased_always_on"),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  OTEL_BSP_SCHEDULE_DELAY: z.coerce.number().int().min(1).max(60_000).default(5_000),
});

/** The operator's options, parsed once at the start (README, "Configuration"). */
export type Config = {
  port: number;
  host: string;
  /** Absolute path of the installation's data. */
  dataDir: string;
  /** A PostgreSQL server; undefined = the embedded one in the data directory. */
  databaseUrl: string | undefined;
  /** The same database without the pooler that `databaseUrl` goes through; undefined when there is none. */
  databaseDirectUrl: string | undefined;
  /** Whether statements stay prepared on a pooler's connections. */
  databasePrepared: boolean;
  databasePoolSize: number;
  demo: boolean;
  adminEmail: string | undefined;
  adminPassword: string | undefined;
  /** Where the generated passwords of the first start are told. */
  firstPasswords: "print" | "file";
  frontendOrigins: string[];
  /** Where browsers reach the product, without slash at its end; undefined leaves the addresses of files relative. */
  publicUrl: string | undefined;
  trustProxy: boolean;
  /** Undefined: `/metrics` answers this machine only. */
  metricsToken: string | undefined;
  /** Calls per minute of one user (or address, before sign-in); above it 429. */
  requestsPerMinute: number;
  authRequestsPerMinute: number;
  /** Calls per minute of one token of another program. */
  apiRequestsPerMinute: number;
  /** So long a process that is to stop goes on serving after `ready` has begun to say no. */
  drainMs: number;
  /** How companies share this process (platform/jobs/company-shares.ts); `least` 0: not at all. */
  companyShares: {
    least: number;
    waiting: number;
    searches: number;
    part: number;
    floodPerSecond: number;
  };
  /** Mean delay of the event loop above which calls are answered 503; 0 never. */
  maxEventLoopDelayMs: number;
  log: { level: string; pretty: boolean };
  /** Where e-mail goes out; null keeps it in the product. */
  smtp: SmtpConfig | null;
  /** The sender of e-mail. Its name is how e-mails call the installation. */
  mailFrom: { name: string; address: string };
  /** Where the files of companies are; null = folders of the data directory. */
  media: S3Place | null;
  /** How the object storage is reached. */
  s3: S3Access;
  /** Backups of the whole installation; without a place none are made by the clock. */
  backup: {
    to: string | null;
    /** Minutes after midnight UTC. */
    atMinute: number;
    /** How many archives stay. */
    keep: number;
    keyFile: string | null;
    isVerified: boolean;
  };
  /** The installation that companies are imported from. The import's own process reads the address from the environment. */
  whaticket: { isConfigured: boolean; hasMedia: boolean };
  /** The operator's own ffmpeg; undefined takes the installed one. */
  ffmpegPath: string | undefined;
  /** Encrypts the credentials of connections in place of the secret in the database. */
  sealSecret: string | undefined;
  /** The official API of the chat network; sandboxes have another address. */
  /** `host:port` pairs that companies may name as receivers though they are not public. */
  outsideHosts: string[];
  /** Hosts of push services that messages to browsers go to; empty takes those of the known browsers. */
  pushHosts: string[];
  graphApi: {
    /** Without slash at its end. */
    baseUrl: string;
    version: string;
    /** Which field of a request names somebody whose number is not known. */
    bsuidField: "recipient" | "to";
  };
  /** Other addresses of the banks with an API; null takes each bank's own. */
  banks: { efiUrl: string | null; asaasUrl: string | null };
  /** Where the service of linked phones is; null takes the service's own. */
  whatsAppWeb: { socketUrl: string | null; rootKey: string | null; mediaHost: string | null };
  roles: ReadonlySet<ProcessRole>;
  /** Statements that take longer are logged by name. */
  slowStatementMs: number;
  /** Where traces go; null: none are made. */
  tracing: TracingConfig | null;
};

export type TracingConfig = {
  /** Where a collector takes traces by OTLP over HTTP. */
  url: string;
  serviceName: string;
  sampler: (typeof samplers)[number];
  samplerRatio: number;
  /** Between two deliveries. */
  everyMs: number;
};

/** A bucket, and how the names of what is ours in it begin: with nothing, or with a text that ends with a slash. */
export type S3Place = { bucket: string; prefix: string };

export type S3Access = {
  /** Undefined in the environment, and null here: Amazon's own service. */
  endpoint: string | null;
  region: string;
  /** Null: as the machine's own role, or AWS's usual variables and files, say. */
  keys: { accessKeyId: string; secretAccessKey: string } | null;
};

export type SmtpConfig = {
  host: string;
  port: number;
  user: { name: string; password: string } | null;
  /** From the first byte, by STARTTLS, or not at all. */
  tls: "always" | "starttls" | "none";
};

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** A setting that cannot be used; the start stops with this text. */
export class ConfigError extends Error {}

/** Parses the environment; throws ConfigError that names every wrong variable, never its value. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const parsed = environment.safeParse(env);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new ConfigError(`The configuration cannot be used.\n  ${faults.join("\n  ")}`);
  }
  if (env["BALCAO_METRICS"] === "open" && parsed.data.BALCAO_METRICS_TOKEN === undefined) {
    throw new ConfigError(
      "BALCAO_METRICS=open is no more: /metrics answers other machines with the token that is set in BALCAO_METRICS_TOKEN.",
    );
  }
  const values = parsed.data;
  if (values.SMTP_URL !== null && values.MAIL_FROM === undefined) {
    throw new ConfigError("SMTP_URL needs MAIL_FROM, the sender of the e-mails.");
  }
  if (values.DATABASE_DIRECT_URL !== undefined && values.DATABASE_URL === undefined) {
    throw new ConfigError("DATABASE_DIRECT_URL needs DATABASE_URL, the address of the pooler.");
  }
  const { BALCAO_S3_ACCESS_KEY: accessKeyId, BALCAO_S3_SECRET_KEY: secretAccessKey } = values;
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    throw new ConfigError("BALCAO_S3_ACCESS_KEY and BALCAO_S3_SECRET_KEY need each other.");
  }
  return {
    port: values.PORT,
    host: values.HOST,
    dataDir: resolve(values.BALCAO_DATA),
    databaseUrl: values.DATABASE_URL,
    databaseDirectUrl: values.DATABASE_DIRECT_URL,
    databasePrepared: values.BALCAO_DATABASE_PREPARED,
    databasePoolSize: values.BALCAO_DATABASE_POOL,
    demo: values.BALCAO_DEMO,
    adminEmail: values.BALCAO_ADMIN_EMAIL,
    adminPassword: values.BALCAO_ADMIN_PASSWORD,
    firstPasswords: values.BALCAO_FIRST_PASSWORDS,
    frontendOrigins: values.BALCAO_FRONTEND_ORIGINS,
    publicUrl: values.BALCAO_PUBLIC_URL?.replace(/\/+$/, ""),
    trustProxy: values.BALCAO_TRUST_PROXY,
    metricsToken: values.BALCAO_METRICS_TOKEN,
    requestsPerMinute: values.BALCAO_REQUESTS_PER_MINUTE,
    authRequestsPerMinute: values.BALCAO_AUTH_REQUESTS_PER_MINUTE,
    apiRequestsPerMinute: values.BALCAO_API_REQUESTS_PER_MINUTE,
    drainMs: values.BALCAO_DRAIN_SECONDS * 1_000,
    companyShares: {
      least: values.BALCAO_COMPANY_AT_ONCE,
      waiting: values.BALCAO_COMPANY_WAITING,
      searches: values.BALCAO_COMPANY_SEARCHES,
      part: values.BALCAO_COMPANY_PART,
      floodPerSecond: values.BALCAO_COMPANY_FLOOD,
    },
    maxEventLoopDelayMs: values.BALCAO_MAX_EVENT_LOOP_DELAY_MS,
    log: { level: values.BALCAO_LOG_LEVEL, pretty: values.BALCAO_LOG_FORMAT === "pretty" },
    smtp: values.SMTP_URL,
    mailFrom: values.MAIL_FROM ?? { name: "", address: "" },
    media: values.BALCAO_MEDIA,
    s3: {
      endpoint: values.BALCAO_S3_ENDPOINT ?? null,
      region: values.BALCAO_S3_REGION,
      keys:
        accessKeyId === undefined || secretAccessKey === undefined
          ? null
          : { accessKeyId, secretAccessKey },
    },
    backup: {
      to: values.BALCAO_BACKUP_TO ?? null,
      atMinute: minutesOf(values.BALCAO_BACKUP_AT),
      keep: values.BALCAO_BACKUP_KEEP,
      keyFile: values.BALCAO_BACKUP_KEY_FILE ?? null,
      isVerified: values.BALCAO_BACKUP_VERIFY,
    },
    whaticket: {
      isConfigured: values.WHATICKET_DATABASE_URL !== undefined,
      hasMedia: values.WHATICKET_MEDIA !== undefined,
    },
    ffmpegPath: values.FFMPEG_PATH,
    sealSecret: values.BALCAO_SEAL_SECRET,
    whatsAppWeb: {
      socketUrl: values.WHATSAPP_WEB_URL ?? null,
      rootKey: values.WHATSAPP_WEB_ROOT_KEY ?? null,
      mediaHost: values.WHATSAPP_WEB_MEDIA_HOST ?? null,
    },
    banks: { efiUrl: values.EFI_API_URL ?? null, asaasUrl: values.ASAAS_API_URL ?? null },
    outsideHosts: values.BALCAO_OUTSIDE_HOSTS,
    pushHosts: values.BALCAO_PUSH_HOSTS,
    graphApi: {
      baseUrl: values.GRAPH_API_URL.replace(/\/+$/, ""),
      version: values.GRAPH_API_VERSION,
      bsuidField: values.GRAPH_API_BSUID_FIELD,
    },
    roles: new Set(values.ROLES.length > 0 ? values.ROLES : roleNames),
    slowStatementMs: values.BALCAO_SLOW_STATEMENT_MS,
    tracing: tracingOf(values),
  };
}

function tracingOf(values: z.output<typeof environment>): TracingConfig | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole } = values;
  const url = whole ?? (base && `${base.replace(/\/+$/, "")}/v1/traces`);
  if (url === undefined) return null;
  return {
    url,
    serviceName: values.OTEL_SERVICE_NAME ?? "balcao",
    sampler: values.OTEL_TRACES_SAMPLER,
    samplerRatio: values.OTEL_TRACES_SAMPLER_ARG,
    everyMs: values.OTEL_BSP_SCHEDULE_DELAY,
  };
}
