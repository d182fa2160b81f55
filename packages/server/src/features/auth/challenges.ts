import { addMinutes } from "date-fns/addMinutes";
import { sql } from "drizzle-orm";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { SignInDeps } from "./opening.ts";
import { hashOf } from "./sessions.ts";
import type { KnownBrowser } from "./tokens.ts";

const CHALLENGE_MINUTES = 5;

type ChallengeKind = "factor" | "passkey" | "new-passkey";
type Challenge = { account: string; challenge: string };

/** Stores a step that waits for an answer of this browser. Returns what the browser has to send back. */
export async function newChallenge(
  { db, clock, random }: Pick<SignInDeps, "db" | "clock" | "random">,
  kind: ChallengeKind,
  { account, browserId, challenge }: Challenge & { browserId: string },
): Promise<string> {
  const id = random.hex(32);
  const until = addMinutes(clock.now(), CHALLENGE_MINUTES);
  await db.acrossCompanies((tx) =>
    tx.query(sql`
      insert into sign_in_challenges (id, kind, account, browser, challenge, expires_at)
      values (${hashOf(id)}, ${kind}, ${account}, ${hashOf(browserId)}, ${challenge}, ${until})`),
  );
  return id;
}

/** The step that waits, if this browser began it not long ago. */
export async function findChallenge(
  { clock }: Pick<SignInDeps, "clock">,
  tx: Tx,
  kind: ChallengeKind,
  { id, browser }: { id: string; browser: KnownBrowser | null },
): Promise<Challenge | null> {
  const [found] = await tx.query<Challenge>(sql`
    select account, challenge from sign_in_challenges
    where id = ${hashOf(id)} and kind = ${kind} and browser = ${hashOf(browser?.id ?? "")}
      and expires_at > ${clock.now()}`);
  return found ?? null;
}

/** The same, which is taken by it: nobody else gets it again. Throws ERR_CHALLENGE_OVER. */
export async function takeChallenge(
  deps: Pick<SignInDeps, "clock">,
  tx: Tx,
  kind: ChallengeKind,
  step: { id: string; browser: KnownBrowser | null },
): Promise<Challenge> {
  const found = await findChallenge(deps, tx, kind, step);
  const taken = await tx.query(sql`
    delete from sign_in_challenges where id = ${hashOf(step.id)} and kind = ${kind} returning 1`);
  if (found === null || taken.length === 0) throw new DomainError("ERR_CHALLENGE_OVER");
  return found;
}
