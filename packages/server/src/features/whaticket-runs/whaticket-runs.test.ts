import type { WhaticketReport } from "@balcao/contract";
import { endpoints } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { testApp } from "../../testing/app.ts";
import type { BodyOf } from "../../testing/app.ts";
import type { RunImport } from "./index.ts";
import { createWhaticketRunsFeature, ImportFailed, stateOf } from "./index.ts";

const address = "postgres://leitor:segredo@fonte.example/whaticket";
const { as, given, database } = await testApp({
  // Without the jobs, which would take up what waits themselves.
  environment: { WHATICKET_DATABASE_URL: address, ROLES: "http" },
});
const { db } = database;

const report: WhaticketReport = {
  ...{ seconds: 1.5, problems: [], unread: [] },
  companies: [
    {
      ...{ id: "7", name: "Padaria", newId: null, newName: "Padaria", state: "dry" },
      counts: { contacts: { read: 3, added: 2, merged: 1, known: 0, left: 0 } },
      problems: [
        { kind: "contact", code: "numberUnreadable", count: 1, rows: ["12"] },
        {
          ...{ kind: "user", code: "emailTaken", count: 1, rows: ["3"] },
          values: { email: "ana@padaria.example", newEmail: "ana+7@padaria.example" },
        },
      ],
    },
  ],
};

/** Takes up what waits with this in place of the import. */
async function work(run: RunImport, signal = new AbortController().signal): Promise<void> {
  const [job] = createWhaticketRunsFeature({
    ...{ db, clock: { now: () => new Date() }, wake: { notify: () => undefined }, run },
    settings: { isConfigured: true, hasMedia: true },
  }).jobs;
  if (!job) throw new Error("there is no job");
  await job.run(signal);
}

const read = async (client: ReturnType<typeof as>) =>
  (await client.get<BodyOf<"GET /operation/whaticket">>("/operation/whaticket")).body;

test("a super user tries and imports; one at a time, and the source's address is never sent", async () => {
  const superUser = as(await given.admin({ super: true }));
  expect(await read(superUser)).toEqual({ isConfigured: true, hasMedia: false, run: null });
  const begin = async (body: object) => (await superUser.post("/operation/whaticket", body)).body;
  const [one, other] = await Promise.all([begin({ kind: "trial" }), begin({ kind: "trial" })]);
  expect([one, other]).toContainEqual({ isStarted: true });
  expect([one, other]).toContainEqual({ isStarted: false });
  await work(async (wish) => {
    expect(wish).toEqual({ kind: "trial", companyIds: [] });
    expect((await read(superUser)).run?.state).toBe("running");
    expect(await begin({ kind: "trial" })).toEqual({ isStarted: false });
    return report;
  });
  const tried = await read(superUser);
  expect(tried.run).toMatchObject({ kind: "trial", state: "done", report });
  expect(JSON.stringify(tried)).not.toMatch(/segredo|fonte\.example/);

  expect(await begin({ kind: "import", companyIds: ["7"] })).toEqual({ isStarted: true });
  await work((wish, _signal, onProgress) => {
    expect(wish).toEqual({ kind: "import", companyIds: ["7"] });
    onProgress("400 messages");
    return Promise.reject(new ImportFailed("ECONNREFUSED"));
  });
  expect((await read(superUser)).run).toMatchObject({
    ...{ kind: "import", state: "failed", error: "ECONNREFUSED", progress: "400 messages" },
    ...{ companyIds: ["7"], report: null },
  });
  const admin = as(await given.admin());
  expect((await admin.get("/operation/whaticket")).status).toBe(403);
  expect((await admin.post("/operation/whaticket", { kind: "trial" })).status).toBe(403);
});

test("a report that was stored with sentences in place of codes can be read", async () => {
  const superUser = as(await given.admin({ super: true }));
  await superUser.post("/operation/whaticket", { kind: "trial" });
  await work(() => Promise.resolve(report));
  const old = [{ kind: "contact", what: "has no number", count: 3, rows: ["12"] }];
  const [company] = report.companies;
  const stored = { ...report, problems: old, companies: [{ ...company, problems: old }] };
  await db.acrossCompanies((tx) =>
    tx.query(sql`update whaticket_runs set report = ${JSON.stringify(stored)}::jsonb`),
  );
  const { body } = await superUser.get("/operation/whaticket");
  const reply = endpoints["GET /operation/whaticket"].reply.parse(body);
  const values = { text: "has no number" };
  const coded = [{ kind: "contact", code: "other", values, count: 3, rows: ["12"] }];
  expect(reply.run?.report).toEqual({
    ...report,
    problems: coded,
    companies: [{ ...company, problems: coded }],
  });
});

test("a run whose process was stopped or crashed is interrupted, and can be begun again", async () => {
  const superUser = as(await given.admin({ super: true }));
  const begin = () => superUser.post("/operation/whaticket", { kind: "trial" });
  await begin();
  const stopping = new AbortController();
  const stopped = work(() => {
    stopping.abort(new Error("the product stops"));
    return Promise.reject(new Error("the product stops"));
  }, stopping.signal);
  await expect(stopped).rejects.toThrow("the product stops");
  expect((await read(superUser)).run?.state).toBe("interrupted");
  await db.acrossCompanies((tx) =>
    tx.query(sql`update whaticket_runs set state = 'running', ended_at = null`),
  );
  expect((await begin()).body).toEqual({ isStarted: false });
  await work(() => expect.unreachable());
  expect((await read(superUser)).run?.state).toBe("interrupted");
  expect((await begin()).body).toEqual({ isStarted: true });
  await work(() => Promise.resolve(report));
  expect((await read(superUser)).run?.state).toBe("done");
});

test("a running import without a sign for minutes is interrupted", () => {
  const seenAt = new Date("2026-11-27T12:00:00.000Z");
  const after = (minutes: number): Date => new Date(seenAt.getTime() + minutes * 60_000);
  expect(stateOf({ state: "running", seenAt }, after(1))).toBe("running");
  expect(stateOf({ state: "running", seenAt }, after(3))).toBe("interrupted");
  expect(stateOf({ state: "waiting", seenAt }, after(3))).toBe("waiting");
});
