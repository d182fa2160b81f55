import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

import type { Client } from "pg";

import { connectOwner } from "./connection.ts";
import { disown, isServer, readClaim, type Claim } from "./postmaster-file.ts";
import { startServer, type ServerPlan } from "./server.ts";

/** A living server and a session of its owner. */
export type Running = { client: Client; port: number; pid: number; isOurChild: boolean };

const collisionPatienceMs = 5_000;
const silencePatienceMs = 30_000;
const progressMs = 10_000;

/**
 * Attaches to the server that an earlier, killed process left running, else starts one. With a `port`, starts only there.
 * For five seconds it tries again when the port is snatched away, when another process starts the same cluster
 * at the same time, or when backends of a killed server are still going.
 */
export async function reachServer(plan: ServerPlan, port?: number): Promise<Running> {
  const deadline = performance.now() + collisionPatienceMs;
  for (;;) {
    const claim = await readClaim(plan.layout.cluster);
    const attached = claim && (await attach(plan, claim));
    if (attached !== undefined) return attached;
    const chosenPort = port ?? (await findFreePort());
    const outcome = await startServer(plan, chosenPort);
    if (outcome.state === "ready") {
      return { client: outcome.client, port: chosenPort, pid: outcome.pid, isOurChild: true };
    }
    if (performance.now() > deadline) {
      throw new Error(`The database did not start.\n${outcome.report}`);
    }
    await delay(100);
  }
}

/** Undefined when the claim is stale: the process number may be alive and belong to any program, so the port decides. */
async function attach(plan: ServerPlan, claim: Claim): Promise<Running | undefined> {
  const { layout, password, log } = plan;
  const silenceDeadline = performance.now() + silencePatienceMs;
  let nextProgress = performance.now() + progressMs;
  for (;;) {
    const answer = await connectOwner({ port: claim.port, password });
    if (answer.client !== undefined) {
      return { client: answer.client, port: claim.port, pid: claim.pid, isOurChild: false };
    }
    if (!(await isServer(claim.pid, layout.name))) {
      if (isAlive(claim.pid)) await disown(layout.cluster, claim);
      return undefined;
    }
    if (answer.state !== "busy" && performance.now() > silenceDeadline) {
      throw new Error(
        `The database of an earlier start (process ${claim.pid}) is there but does not let us in.`,
      );
    }
    if (performance.now() > nextProgress) {
      log("Waiting for the database of an earlier start (it is recovering or stopping)…");
      nextProgress += progressMs;
    }
    await delay(50);
  }
}

/** A port that was free a moment ago; whoever uses it must be ready to lose it. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No free port was found.");
  return address.port;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
