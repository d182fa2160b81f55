import type { Mail, MailKind, MailState, ReplyOf } from "@balcao/contract";
import { mailKinds, sheetLanguages } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { SmtpConfig } from "../../platform/config/config.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { TestApp } from "../../testing/app.ts";
import { quietLog, testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";
import { unique } from "../../testing/given.ts";
import { newTlsCertificate, trustCertificate } from "../../testing/tls-certificate.ts";
import type { MailsFeature, NewMail } from "./index.ts";
import { createMailsFeature, createSmtpServer, outcomeOf } from "./index.ts";
import type { MailContent } from "./templates.ts";
import { composeMail } from "./templates.ts";
import type { ReceivedMail, SmtpStub } from "./testing/smtp-stub.ts";
import { startSmtpStub, textOf } from "./testing/smtp-stub.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const from = { name: "Conecta Sul", address: "no-reply@conecta.example" };
const silence: Wake = {
  ...{ notify: () => undefined, send: () => undefined, on: () => () => undefined },
  ...{ ready: async () => undefined, close: async () => undefined },
};

let stub: SmtpStub;
let product: TestApp;
let provider: GivenUser;
let admin: GivenUser;
/** As other features get it; the product's process sends what it adds. */
let mails: MailsFeature;

beforeAll(async () => {
  stub = await startSmtpStub();
  product = await testApp({ environment: stub.environment, scheduleLookMs: 50 });
  admin = await product.given.admin({ company: await product.given.company() });
  provider = await product.given.admin({ company: await product.given.company(), super: true });
  mails = mailsOf(product, smtp(stub));
});

afterEach(() => {
  stub.refusals.length = 0;
});

const smtp = ({ port }: SmtpStub, more: Partial<SmtpConfig> = {}) =>
  createSmtpServer({ host: "127.0.0.1", port, user: null, tls: "none", ...more }, from);

function mailsOf({ database, clock }: TestApp, server: ReturnType<typeof smtp> | null) {
  const how = { db: database.db, clock, wake: silence, log: quietLog(), brand: from.name };
  return createMailsFeature({ ...how, server });
}

const invoice = (plan: string): MailContent => ({
  kind: "invoice-due",
  data: { company: "Aurora", plan, valueCents: 119_990, dueDate: "19/12/2026", url: null },
});

const code = (until: Date): MailContent => ({
  kind: "password-reset",
  data: { code: "K7QD2M9X", until, company: "Aurora", timeZone: "America/Sao_Paulo", url: null },
});

/** Adds an e-mail; answers its address, by which it is found. */
async function add(wish: Partial<NewMail> = {}, by = mails, app = product): Promise<string> {
  const { companyId } = admin;
  const address = `leitor${unique()}@loja.example`;
  const usual = {
    companyId,
    to: { name: "Marina", address },
    language: "pt",
    ...invoice("Equipe"),
  };
  await app.database.db.transaction({ companyId }, (tx) =>
    by.add(tx, { ...usual, ...wish } as NewMail),
  );
  return wish.to?.address ?? address;
}

async function list(query: string, app = product): Promise<ReplyOf<"GET /mails">> {
  // The tests' clock leaves tokens behind.
  const known = { ...provider, token: await product.given.token(provider) };
  const caller = app === product ? known : await app.given.admin({ super: true });
  return (await app.as(caller).get<ReplyOf<"GET /mails">>(`/mails?${query}`)).body;
}

async function find(address: string): Promise<Mail | undefined> {
  return (await list(`searchParam=${encodeURIComponent(address)}`)).mails[0];
}

/** The e-mail to this address, once it is in that state. */
async function found(address: string, state: MailState): Promise<Mail> {
  await expect.poll(async () => (await find(address))?.state).toBe(state);
  return (await find(address))!;
}

const received = (address: string): ReceivedMail[] =>
  stub.received.filter(({ to }) => to.includes(address));

describe("sending", () => {
  test("an e-mail goes to its reader, as text and as HTML", async () => {
    const address = await add();
    expect(await found(address, "sent")).toMatchObject({
      ...{ kind: "invoice-due", name: "Marina", tries: 1, fault: null, maySend: false },
      ...{ company: { id: admin.companyId }, sentAt: expect.any(String) },
    });
    const [mail, ...others] = received(address);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ from: from.address, to: [address] });
    expect(mail!.source).toMatch(/^From: "?Conecta Sul"? <no-reply@conecta\.example>$/m);
    expect(mail!.source).toMatch(/^Auto-Submitted: auto-generated$/m);
    expect(mail!.source).toMatch(/^Message-ID: <balcao\.\d+\.\d+@conecta\.example>$/m);
    expect(mail!.source).toMatch(/content-type: text\/html/i);
    expect(textOf(mail!)).toMatch(
      /plano Equipe, no valor de R\$\s1\.199,90, vence em 19\/12\/2026/,
    );
  });

  test("an e-mail of a transaction that fails does not exist", async () => {
    const address = `leitor${unique()}@loja.example`;
    const { companyId } = admin;
    const to = { name: "Marina", address };
    const failing = product.database.db.transaction({ companyId }, async (tx) => {
      await mails.add(tx, { companyId, to, language: "pt", ...invoice("Equipe") });
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await find(address)).toBeUndefined();
  });

  test("an e-mail has the name and colour of the brand, and of the sender where there is none", async () => {
    const how = { db: product.database.db, clock: product.clock, wake: silence, log: quietLog() };
    const read = async (address: string) => {
      const [row] = await product.database.db.acrossCompanies((tx) =>
        tx.query<{ subject: string; html: string }>(
          sql`select subject, html from mails where address = ${address}`,
        ),
      );
      return row!;
    };
    const write = (brand: string, own: { name: string; color: string } | null) => {
      const office = createMailsFeature({
        ...{ ...how, brand, server: null },
        brandOf: async () => own,
      });
      const { data } = invoice("Equipe");
      const content = { kind: "invoice-due", data: { ...data, url: "https://a.example" } };
      return add(content as Partial<NewMail>, office).then(read);
    };
    const branded = await write("Remetente", { name: "Conecta", color: "#7a1fa2" });
    expect(branded.subject).toMatch(/ - Conecta$/);
    expect(branded.html).toContain("background-color:#7a1fa2");
    expect((await write("Remetente", null)).subject).toMatch(/ - Remetente$/);
    const plain = await write("", null);
    expect(plain.subject).toMatch(/ - Balcão$/);
    expect(plain.html).toContain("background-color:#0d6b59");
  });

  test("a name with line breaks adds neither readers nor headers", async () => {
    const address = `leitor${unique()}@loja.example`;
    const name = "Ana\r\nBcc: outra@loja.example\r\n\r\nOlá <outra@loja.example>, \u2028X";
    await add({ to: { name, address } });
    const { text } = await found(address, "sent");
    expect(text).toContain("Olá, Ana Bcc: outra@loja.example Olá <outra@loja.example>, X.\n");
    const [mail] = received(address);
    expect(mail!.to).toEqual([address]);
    expect(mail!.source).not.toMatch(/^bcc:/im);
    expect(received("outra@loja.example")).toEqual([]);
  });

  test.each([
    "a@loja.example, b@loja.example",
    "a@loja.example\r\nRCPT TO:<b@loja.example>",
    "Ana <a@loja.example>",
    "loja.example",
  ])("%j is no address: it is given up and nobody gets it", async (address) => {
    const before = stub.received.length;
    await add({ to: { name: "Ana", address } });
    const given = await found(address.split("\r")[0]!, "failed");
    expect(given.fault).toMatch(/^not an e-mail address/);
    expect(stub.received).toHaveLength(before);
  });

  test("a refusal that may pass is tried again later", async () => {
    stub.refusals.push({ code: 451, words: "come again later" });
    const address = await add();
    await expect.poll(async () => (await find(address))?.fault).toBe("451 come again later");
    expect(await find(address)).toMatchObject({ state: "waiting", tries: 1, maySend: false });
    expect(received(address)).toEqual([]);
    product.clock.advance(MINUTE_MS + 1_000);
    expect(await found(address, "sent")).toMatchObject({ tries: 2, fault: null });
    expect(received(address)).toHaveLength(1);
  });

  test("a refusal for good is given up, and a super user has it sent again", async () => {
    stub.refusals.push({ code: 550, words: "no such mailbox" });
    const address = await add();
    const failed = await found(address, "failed");
    expect(failed).toMatchObject({ tries: 1, fault: "550 no such mailbox", maySend: true });
    expect(await product.as(provider).post(`/mails/${failed.id}/send`)).toMatchObject({
      status: 200,
      body: { id: failed.id, state: "waiting", maySend: false },
    });
    expect(await found(address, "sent")).toMatchObject({ tries: 1, fault: null });
    // One that was sent is not sent twice.
    await product.as(provider).post(`/mails/${failed.id}/send`);
    expect(await find(address)).toMatchObject({ state: "sent" });
    expect(received(address)).toHaveLength(1);
  });

  test("two processes send each e-mail once", async () => {
    const { database } = product;
    await testApp({ database, environment: stub.environment, scheduleLookMs: 50 });
    const addresses = await Promise.all(Array.from({ length: 12 }, () => add()));
    for (const address of addresses) await found(address, "sent");
    expect(addresses.map((address) => received(address).length)).toEqual(addresses.map(() => 1));
  });
});

test("waits grow, and after six tries, or when a code would have expired, an e-mail is given up", () => {
  const createdAt = new Date("2026-11-26T12:00:00Z");
  const refused = { isTaken: false, words: "away", isFinal: false } as const;
  const waits = (kind: MailKind, now = createdAt) =>
    [1, 2, 3, 4, 5, 6].map((tries) => {
      const { state, dueAt } = outcomeOf({ kind, createdAt, tries }, refused, now);
      return state === "failed" ? state : (dueAt.getTime() - now.getTime()) / MINUTE_MS;
    });
  expect(waits("invoice-due")).toEqual([1, 5, 30, 120, 360, "failed"]);
  expect(waits("password-reset").slice(0, 3)).toEqual([1, 5, "failed"]);
  expect(waits("password-reset", new Date("2026-11-26T12:28:00Z")).slice(0, 2)).toEqual([
    1,
    "failed",
  ]);
});

describe("encryption", () => {
  const { certificate, key } = newTlsCertificate();
  const letter = {
    ...{ id: "1", to: { name: "Ana", address: "ana@loja.example" } },
    ...{ subject: "Olá", text: "Olá", html: "<p>Olá</p>" },
  };

  test("a certificate that nobody knows is refused; one that is trusted is used, by STARTTLS and from the start", async () => {
    const upgrading = await startSmtpStub({ key, cert: certificate });
    const secure = await startSmtpStub({ key, cert: certificate, secure: true });
    for (const [server, tls] of [
      [upgrading, "starttls"],
      [secure, "always"],
    ] as const) {
      expect(await smtp(server, { tls }).send(letter)).toMatchObject({
        ...{ isTaken: false, isFinal: false },
        words: expect.stringMatching(/self-signed|certificate/i),
      });
    }
    trustCertificate(certificate);
    for (const [server, tls] of [
      [upgrading, "starttls"],
      [secure, "always"],
    ] as const) {
      expect(await smtp(server, { tls }).send(letter)).toMatchObject({ isTaken: true });
      expect(server.received).toMatchObject([{ isEncrypted: true, to: ["ana@loja.example"] }]);
    }
  });

  test("a server without encryption gets nothing, unless the configuration says so", async () => {
    const plain = await startSmtpStub();
    expect(await smtp(plain, { tls: "starttls" }).send(letter)).toMatchObject({
      isTaken: false,
      isFinal: false,
    });
    expect(plain.received).toEqual([]);
    expect(await smtp(plain, { tls: "none" }).send(letter)).toMatchObject({ isTaken: true });
  });

  test("a refused sign-in is shown in the server's words, without the password, and is tried again", async () => {
    const strict = await startSmtpStub({
      ...{ authOptional: false, allowInsecureAuth: true },
      onAuth: ({ password }, _session, done) =>
        done(Object.assign(new Error(`${password} is wrong`), { responseCode: 535 })),
    });
    const user = { name: "balcao", password: "s3nha-do-servidor" };
    const delivery = await smtp(strict, { user }).send(letter);
    expect(delivery).toEqual({ isTaken: false, isFinal: false, words: "535 ••• is wrong" });
  });

  test("a server that is away is a refusal that may pass", async () => {
    expect(await smtp({ ...stub, port: 1 }).send(letter)).toMatchObject({
      isTaken: false,
      isFinal: false,
    });
  });
});

describe("without a mail server", () => {
  test("e-mails are held; once there is one, those of the last day are sent, but no code that has expired", async () => {
    const without = await testApp({ scheduleLookMs: 50 });
    admin = await without.given.admin();
    const holding = mailsOf(without, null);
    const addHeld = async (wish: Partial<NewMail>, ageMs: number): Promise<string> => {
      const address = await add(wish, holding, without);
      const createdAt = new Date(Date.now() - ageMs);
      await without.database.db.acrossCompanies((tx) =>
        tx.query(sql`update mails set created_at = ${createdAt} where address = ${address}`),
      );
      return address;
    };
    const fresh = await addHeld({}, 23 * HOUR_MS);
    const old = await addHeld({}, 25 * HOUR_MS);
    const voidCode = await addHeld(code(new Date()), 31 * MINUTE_MS);
    const validCode = await addHeld(code(new Date()), 5 * MINUTE_MS);
    const before = await list("", without);
    expect(before).toMatchObject({ server: null, totals: { all: 4, held: 4, waiting: 0 } });
    expect(before.mails.map(({ address, maySend }) => [address, maySend])).toEqual([
      [validCode, true],
      [voidCode, false],
      [fresh, true],
      [old, true],
    ]);
    const root = await without.given.admin({ super: true });
    const refused = { status: 400, body: { code: "ERR_NO_MAIL_SERVER" } };
    expect(await without.as(root).post("/mails/test")).toMatchObject(refused);
    const [{ id }] = before.mails as [Mail];
    expect(await without.as(root).post(`/mails/${id}/send`)).toMatchObject(refused);
    await without.close();

    const { database } = without;
    const withServer = await testApp({
      database,
      environment: stub.environment,
      scheduleLookMs: 50,
    });
    await expect.poll(async () => (await list("", withServer)).totals.sent).toBe(2);
    expect(received(fresh)).toHaveLength(1);
    expect(received(validCode)).toHaveLength(1);
    expect((await list("state=held", withServer)).mails.map(({ address }) => address)).toEqual([
      voidCode,
      old,
    ]);
    expect((await list("", withServer)).server).toEqual({
      host: "127.0.0.1",
      from: "Conecta Sul <no-reply@conecta.example>",
    });
  });
});

describe("the outbox", () => {
  test("is searched by reader, subject and company, narrowed by state, and is for super users", async () => {
    const app = await testApp({ environment: { ...stub.environment, ROLES: "http" } });
    const company = await app.given.company();
    admin = await app.given.admin({ company });
    const adding = mailsOf(app, smtp(stub));
    const first = await add(
      { to: { name: "Zuleica Prado", address: "zuleica@loja.example" } },
      adding,
      app,
    );
    const second = await add({ ...code(new Date()) }, adding, app);
    const addresses = async (query: string) =>
      (await list(query, app)).mails.map((mail) => mail.address);
    expect(await addresses("")).toEqual([second, first]);
    for (const words of ["ZULEICA", "prado", "zuleica@", "fatura"]) {
      expect(await addresses(`searchParam=${words}`)).toEqual([first]);
    }
    expect(await addresses(`searchParam=${encodeURIComponent(company.name)}`)).toHaveLength(2);
    expect(await addresses("state=sent")).toEqual([]);
    expect(await list("state=waiting&searchParam=zuleica", app)).toMatchObject({
      ...{ count: 1, hasMore: false },
      totals: { all: 2, waiting: 2, held: 0, sent: 0, failed: 0 },
    });
    for (const call of ["GET /mails", "POST /mails/test", "POST /mails/1/send"]) {
      const [method = "", path = ""] = call.split(" ");
      expect(await app.as(admin).request(method, path)).toMatchObject({ status: 403 });
    }
  });

  test("a test is sent at once, to the caller, and shows what the server said", async () => {
    const sent = await product.as(provider).post("/mails/test", { language: "en" });
    expect(sent).toMatchObject({
      status: 200,
      body: {
        answer: expect.stringMatching(/^250 .*taken/),
        mail: {
          kind: "test",
          state: "sent",
          address: provider.email,
          subject: "E-mail test - Conecta Sul",
        },
      },
    });
    stub.refusals.push({ code: 451, words: "not today" });
    expect(await product.as(provider).post("/mails/test")).toMatchObject({
      status: 200,
      body: { answer: "451 not today", mail: { state: "failed", fault: "451 not today" } },
    });
  });

  test("an e-mail whose code has expired is not sent again, and one that is not there is not found", async () => {
    admin = await product.given.admin();
    stub.refusals.push({ code: 550, words: "no" });
    const address = await add(code(new Date()));
    const { id } = await found(address, "failed");
    product.clock.advance(31 * MINUTE_MS);
    expect(await find(address)).toMatchObject({ maySend: false });
    const again = (mailId: number) => product.as(provider).post(`/mails/${mailId}/send`);
    expect(await again(id)).toMatchObject({ status: 400, body: { code: "ERR_MAIL_OVER" } });
    expect(await again(2_000_000_000)).toMatchObject({
      status: 404,
      body: { code: "ERR_NO_MAIL_FOUND" },
    });
  });

  test("codes that have expired are taken out, and e-mails are deleted after 30 days", async () => {
    admin = await product.given.admin();
    const [withCode, other] = [await add(code(new Date())), await add()];
    const html = async () => {
      const rows = await product.database.db.acrossCompanies((tx) =>
        tx.query<{ html: string }>(sql`select html from mails where address = ${withCode}`),
      );
      return rows[0]?.html;
    };
    await found(withCode, "sent");
    await mails.sweep();
    expect((await find(withCode))?.text).toContain("K7QD-2M9X");
    product.clock.advance(31 * MINUTE_MS);
    await mails.sweep();
    expect((await find(withCode))?.text).toMatch(/••••-••••/);
    expect((await find(withCode))?.text).not.toMatch(/K7QD/);
    expect(await html()).toMatch(/••••-••••/);
    expect(await html()).not.toMatch(/K7QD/);
    expect((await find(other))?.text).toContain("Equipe");
    const monthAgo = new Date(product.clock.now().getTime() - 30 * 24 * HOUR_MS);
    await product.database.db.acrossCompanies((tx) =>
      tx.query(sql`update mails set created_at = ${monthAgo} where address = ${other}`),
    );
    product.clock.advance(1_000);
    await mails.sweep();
    expect(await find(other)).toBeUndefined();
  });
});

describe("templates", () => {
  const until = new Date("2026-11-26T13:42:00Z");
  const place = { company: "Aurora & <Filhos>", timeZone: "America/Sao_Paulo" };
  const bill = {
    company: place.company,
    plan: "Equipe",
    valueCents: 119_990,
    dueDate: "19/12/2026",
  };
  const url = "https://inbox.example/x?a=1&b='2'";
  const contents: Record<MailKind, MailContent> = {
    "password-reset": { kind: "password-reset", data: { code: "K7QD2M9X", until, ...place, url } },
    invitation: { kind: "invitation", data: { code: "K7QD2M9X", until, ...place, url } },
    "invoice-due": { kind: "invoice-due", data: { ...bill, url } },
    "invoice-paid": { kind: "invoice-paid", data: { ...bill, url } },
    "connection-lost": {
      ...{ kind: "connection-lost", data: { ...place, connection: "Vendas", since: until, url } },
    },
    "helper-stopped": {
      kind: "helper-stopped",
      data: { company: place.company, what: "prompt", name: "Lia <b>", why: "key", url },
    },
    "new-device": {
      kind: "new-device",
      data: { ...place, device: "Chrome <X> · Windows", address: "203.0.113.7", at: until, url },
    },
    test: { kind: "test", data: {} },
  };
  const frame = {
    ...{ name: 'Zé "X" <b>', address: "ze@loja.example" },
    ...{ brand: "Conecta <Sul>", color: "#0d6b59" },
  };

  test.each(mailKinds)(
    "%s says the same as text and as HTML, with everything escaped, in three languages",
    (kind) => {
      const made = sheetLanguages.map((language) =>
        composeMail({ ...frame, language }, contents[kind]),
      );
      expect(new Set(made.map(({ subject }) => subject)).size).toBe(3);
      for (const { subject, text, html } of made) {
        expect(subject).toContain("Conecta <Sul>");
        expect(text).toContain('Zé "X" <b>');
        expect(html).toContain("Z&#233;".replace("&#233;", "é") + " &quot;X&quot; &lt;b&gt;");
        expect(html).not.toMatch(/<b>|<Sul>|<Filhos>/);
        if (kind === "test") continue;
        expect(text).toContain(place.company);
        expect(text).toContain(url);
        expect(html).toContain("https://inbox.example/x?a=1&amp;b=&#39;2&#39;");
      }
    },
  );

  test("a code has the company's time, and money is written as the language does", () => {
    const data = {
      company: place.company,
      what: "webhook",
      name: "Loja",
      why: "tokens",
      url,
    } as const;
    const usedUp: MailContent = { kind: "helper-stopped", data };
    const [pt, en, es] = sheetLanguages.map((language) => ({
      reset: composeMail({ ...frame, language }, contents["password-reset"]),
      invitation: composeMail({ ...frame, language }, contents.invitation).text,
      due: composeMail({ ...frame, language }, contents["invoice-due"]).text,
      lost: composeMail({ ...frame, language }, contents["connection-lost"]),
      stopped: [contents["helper-stopped"], usedUp].map(
        (content) => composeMail({ ...frame, language }, content).subject,
      ),
    }));
    expect(pt!.reset.subject).toBe("Redefinição de senha - Conecta <Sul>");
    expect(pt!.reset.text).toMatch(/K7QD-2M9X[^]*vale até 10:42/);
    expect(en!.reset.text).toMatch(/valid until 10:42/);
    expect(es!.reset.text).toMatch(/hasta las 10:42/);
    expect(pt!.invitation).toMatch(/até 26\/11\/2026,? 10:42[^]*/);
    expect(pt!.lost.subject).toBe("A conexão Vendas está fora do ar - Conecta <Sul>");
    expect(pt!.lost.text).toMatch(/desconectada desde 26\/11\/2026,? 10:42/);
    expect(pt!.stopped).toEqual([
      "O agente de IA Lia <b> parou - Conecta <Sul>",
      "O webhook Loja atingiu o limite de hoje - Conecta <Sul>",
    ]);
    expect(pt!.due).toMatch(/R\$\s1\.199,90/);
    expect(en!.due).toMatch(/R\$1,199\.90/);
  });

  test("without an address of its own the product sends no link", () => {
    const { data } = contents["password-reset"] as { data: object };
    const { html, text } = composeMail({ ...frame, language: "pt" }, {
      kind: "password-reset",
      data: { ...data, url: null },
    } as MailContent);
    expect(html).not.toContain("<a ");
    expect(text).not.toContain("http");
  });
});
