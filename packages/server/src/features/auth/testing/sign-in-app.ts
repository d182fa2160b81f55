import type { CompanyId, Profile, QueueId, UserId } from "@balcao/contract";
import { endpoints } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { createDomainEvents } from "../../../platform/events.ts";
import type { HttpServerOptions } from "../../../platform/http/server.ts";
import { createHttpServer } from "../../../platform/http/server.ts";
import type { Logger } from "../../../platform/logging/logger.ts";
import { createLogger } from "../../../platform/logging/logger.ts";
import { createMetrics } from "../../../platform/metrics/metrics.ts";
import type { RealtimeDeps } from "../../../platform/realtime/server.ts";
import { createRealtimeServer } from "../../../platform/realtime/server.ts";
import { systemSources } from "../../../platform/sources.ts";
import type { TestDatabase } from "../../../testing/database.ts";
import { testDatabase } from "../../../testing/database.ts";
import { atEndOfFile } from "../../../testing/end-of-file.ts";
import { createCompaniesFeature } from "../../companies/index.ts";
import { createHealthFeature } from "../../health/index.ts";
import type { NewMail } from "../../mails/index.ts";
import { createSettingsFeature } from "../../settings/index.ts";
import { createSeal } from "../../../platform/secrets/seal.ts";
import { createUsersFeature } from "../../users/index.ts";
import { createAuthenticator, createAuthFeature, hashPassword } from "../index.ts";
import { connectLive } from "./live-client.ts";

export const PASSWORD = "segredo-123";
/** Absences that are shorter are not told. */
export const AWAY_DELAY_MS = 400;

export type SignInAppOptions = Partial<HttpServerOptions> & {
  /** Two applications on one database are two processes of one installation. */
  database?: TestDatabase;
  distributed?: boolean;
  canSeeTicket?: RealtimeDeps["canSeeTicket"];
  log?: Logger;
  publicUrl?: string;
  /** Gets the e-mails; without it the application sends none. */
  mailed?: NewMail[];
};

export type Reply = {
  status: number;
  body: unknown;
  headers: Headers;
  /** The refresh cookie as the reply set it, with its attributes. */
  setCookie: string | undefined;
};

export type Call = {
  token?: string;
  cookie?: string;
  body?: unknown;
  headers?: Record<string, string>;
};

export type SignInApp = Awaited<ReturnType<typeof signInApp>>;

/** A small application for sign-in and sockets, on a database of its own, with a clock that tests set. */
export async function signInApp(options: SignInAppOptions = {}) {
  const { database = await testDatabase(), distributed = false, ...rest } = options;
  const {
    canSeeTicket = async () => false,
    log = quietLog(),
    publicUrl,
    mailed,
    ...httpOptions
  } = rest;
  const { db, serviceUrl, secrets } = database;
  const clock = testClock();
  const sources = { ...systemSources, clock };
  const metrics = createMetrics();
  const authenticator = createAuthenticator({ db, clock, secrets });
  const http = await createHttpServer({
    options: {
      frontendOrigins: [],
      trustProxy: false,
      metricsToken: null,
      requestLimits: { perMinute: 100_000, authPerMinute: 100_000 },
      webRoot: null,
      version: "1.2.3",
      maxEventLoopDelayMs: 0,
      ...httpOptions,
    },
    log,
    metrics,
    authenticator,
  });
  const realtime = await createRealtimeServer({
    options: { distributed, serviceUrl, checkPayloads: true },
    server: http.server,
    log,
    clock,
    ids: sources.ids,
    metrics,
    authenticator,
    canSeeTicket,
  });
  const users = createUsersFeature({
    db,
    clock,
    log,
    realtime,
    awayDelayMs: AWAY_DELAY_MS,
    sessions: {
      hashPassword,
      confirmPassword: (account, password) => auth.sessions.confirmPassword(account, password),
      end: (tx, account, limit) => auth.sessions.end(tx, account, limit),
      goOn: (request, reply, account) => auth.sessions.goOn(request, reply, account),
    },
    invite: (tx, account, language) => auth.invite(tx, account, language),
    countOpenTickets: async () => 0,
    domainEvents: createDomainEvents(),
    random: sources.random,
  });
  const auth = await createAuthFeature({
    db,
    clock,
    log,
    realtime,
    users,
    replacedSessionMs: 200,
    random: sources.random,
    secrets,
    cookie: { frontendOrigins: httpOptions.frontendOrigins ?? [], publicUrl },
    ids: sources.ids,
    seal: createSeal(secrets.seal),
    sendsMail: mailed !== undefined,
    // Codes for new passwords are tested with the whole product.
    mails: {
      async add(_tx, mail) {
        if (!mailed) throw new Error("this application sends no e-mail");
        mailed.push(mail);
      },
    },
  });
  const features = [
    auth,
    createSettingsFeature({ db, realtime, seal: createSeal(secrets.seal) }),
    createCompaniesFeature({
      ...{ db, realtime, clock: sources.clock, hashPassword },
      ...{ invite: auth.invite, random: sources.random },
      connectionsChanged: () => undefined,
      ...{ channelTables: [], stores: [] },
      billing: { reconcile: async () => undefined, companyChanged: async () => undefined },
      countSignUp: async () => undefined,
    }),
    createHealthFeature({ db, version: "1.2.3" }),
  ];
  for (const feature of features) feature.register(http.routes);
  const port = await http.listen({ host: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${port}`;

  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    users.close();
    await realtime.close();
    await http.close();
  };
  atEndOfFile(close);

  async function call(method: string, path: string, given: Call = {}): Promise<Reply> {
    const { token, cookie, body, headers = {} } = given;
    const reply = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(cookie === undefined ? {} : { cookie: `jrt=${cookie}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return {
      status: reply.status,
      body: parseJson(await reply.text()),
      headers: reply.headers,
      setCookie: reply.headers.getSetCookie().find((line) => line.startsWith("jrt=")),
    };
  }

  /** Signs in for real; throws when it is refused. */
  async function signIn(email: string, password: string = PASSWORD) {
    const reply = await call("POST", "/api/auth/login", { body: { email, password } });
    const { token, user } = endpoints["POST /auth/login"].reply.parse(reply.body);
    return { token, user, cookie: cookieValue(reply) };
  }

  return {
    database,
    db,
    clock,
    realtime,
    users,
    auth,
    url,
    call,
    signIn,
    live: (token: string, how: { namespace?: string; inQuery?: boolean } = {}) =>
      connectLive(url, token, how),
    given: createGiven(database),
  };
}

function quietLog(): Logger {
  return createLogger({ level: "fatal", pretty: false });
}

function testClock() {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    advance(ms: number): void {
      offsetMs += ms;
    },
  };
}

/** The refresh token a reply set; fails when it set none. */
export function cookieValue(reply: Reply): string {
  const value = /^jrt=([^;]*)/.exec(reply.setCookie ?? "")?.[1];
  if (!value) throw new Error(`no cookie in reply ${reply.status} ${JSON.stringify(reply.body)}`);
  return value;
}

function parseJson(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text; // pages and metrics are no JSON
  }
}

let made = 0;
const passwordHash = hashPassword(PASSWORD);

export type GivenUser = { id: UserId; companyId: CompanyId; email: string };

function createGiven({ db }: TestDatabase) {
  async function insert<Id extends number>(statement: ReturnType<typeof sql>): Promise<Id> {
    const [row] = await db.acrossCompanies((tx) => tx.query<{ id: Id }>(statement));
    if (!row) throw new Error("nothing was inserted");
    return row.id;
  }

  return {
    company(values: { dueDate?: Date | null; status?: boolean; timeZone?: string } = {}) {
      const name = `Empresa ${(made += 1)}`;
      const { dueDate = new Date("2099-12-31T00:00:00Z"), status = true, timeZone } = values;
      return insert<CompanyId>(sql`
        with plan as (
          insert into plans (name, users, connections, queues, value_cents) values (${name}, 5, 2, 3, 9990)
          returning id)
        insert into companies (name, email, plan_id, due_date, status, time_zone)
        select ${name}, 'contato@empresa.example', id, ${dueDate}, ${status},
               ${timeZone ?? "America/Sao_Paulo"} from plan
        returning id`);
    },
    queue(companyId: CompanyId, values: { order?: number } = {}) {
      const number = (made += 1);
      return insert<QueueId>(sql`
        insert into queues (company_id, name, color, order_queue)
        values (${companyId}, ${`Fila ${number}`}, ${`#${String(number).padStart(6, "0")}`}, ${values.order ?? null})
        returning id`);
    },
    async user(
      companyId: CompanyId,
      values: { profile?: Profile; super?: boolean; allTicket?: string; queueIds?: QueueId[] } = {},
    ): Promise<GivenUser> {
      const email = `pessoa${(made += 1)}@empresa.example`;
      const { profile = "user", allTicket = "desabled", queueIds = [] } = values;
      const id = await insert<UserId>(sql`
        insert into users (company_id, name, email, password_hash, profile, super, all_ticket)
        values (${companyId}, ${`Pessoa ${made}`}, ${email}, ${await passwordHash}, ${profile},
                ${values.super ?? false}, ${allTicket})
        returning id`);
      for (const queueId of queueIds) {
        await db.acrossCompanies((tx) =>
          tx.query(sql`insert into user_queues values (${companyId}, ${id}, ${queueId})`),
        );
      }
      return { id, companyId, email };
    },
  };
}
