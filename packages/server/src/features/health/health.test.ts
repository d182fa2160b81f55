import { beforeAll, expect, test } from "vitest";
import type { SignInApp } from "../auth/testing/sign-in-app.ts";
import { signInApp } from "../auth/testing/sign-in-app.ts";
import { createHealthFeature } from "./index.ts";

let app: SignInApp;
beforeAll(async () => {
  app = await signInApp();
});

test("the process is live and ready, and reports its version", async () => {
  for (const path of ["/api/health", "/api/health/live", "/api/health/ready"]) {
    expect(await app.call("GET", path)).toMatchObject({ status: 200, body: { status: "ok" } });
  }
  expect(await app.call("GET", "/api/version")).toMatchObject({ body: { version: "1.2.3" } });
});

/** The feature's reply to `ready` over a database that behaves like this. */
async function readiness(ping: () => Promise<void>): Promise<unknown> {
  const health = createHealthFeature({ db: { ping }, version: "1", pingLimitMs: 50 });
  return answersOf(health).get("GET /health/ready")?.();
}

function answersOf(health: ReturnType<typeof createHealthFeature>) {
  const answers = new Map<string, () => Promise<unknown>>();
  health.register({
    handle: (name, handler) => {
      answers.set(name, () => handler({} as never));
    },
  });
  return answers;
}

test("a process that is about to stop is alive and not ready", async () => {
  const leaving = createHealthFeature({
    ...{ db: { ping: async () => undefined }, version: "1", isLeaving: () => true },
  });
  const answer = (name: string) => answersOf(leaving).get(name)?.();
  await expect(answer("GET /health/ready")).rejects.toThrow("ERR_UNAVAILABLE");
  await expect(answer("GET /health/live")).resolves.toEqual({ status: "ok" });
});

test("it is not ready while the database refuses, or does not answer in time", async () => {
  await expect(readiness(async () => undefined)).resolves.toEqual({ status: "ok" });
  await expect(readiness(() => Promise.reject(new Error("down")))).rejects.toThrow(
    "ERR_UNAVAILABLE",
  );
  await expect(readiness(() => new Promise(() => undefined))).rejects.toThrow("ERR_UNAVAILABLE");
});
