import { limits } from "@balcao/contract";
import type { Options } from "@node-rs/argon2";
import { hash, verify } from "@node-rs/argon2";
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/database.ts";
import type { AccountRow } from "../users/index.ts";

/** 19 MiB, two passes, one lane: about 20 ms of one core. The kind is argon2id by default. */
const COST: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** A password as the database keeps it. Callers check its length first. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, COST);
}

/** A bcrypt hash, as other systems keep passwords. */
export const isOldHash = (passwordHash: string): boolean => passwordHash.startsWith("$2");

export type PasswordCheck = {
  /**
   * Whether the password belongs to the hash. Without a hash (no such account), or with a password that no account can
   * have, it is false and takes the same time, so timing does not reveal which accounts exist.
   */
  matches(password: string, passwordHash: string | undefined): Promise<boolean>;
};

/** `unguessable` is any secret text; its hash stands in for accounts that do not exist. */
export async function createPasswordCheck(unguessable: string): Promise<PasswordCheck> {
  const standIn = await hashPassword(unguessable);
  return {
    async matches(password, passwordHash) {
      const bounded = password.slice(0, limits.passwordMax);
      if (passwordHash !== undefined && isOldHash(passwordHash)) {
        // Both at once, so that an imported account answers no sooner than one that does not exist.
        const { verify: verifyOld } = await import("@node-rs/bcrypt");
        const [isRight] = await Promise.all([
          verifyOld(bounded, passwordHash),
          verify(standIn, bounded),
        ]);
        return isRight && bounded === password;
      }
      const isRight = await verify(passwordHash ?? standIn, bounded);
      return isRight && passwordHash !== undefined && bounded === password;
    },
  };
}

/** An imported account keeps its bcrypt hash until its first sign-in, unless the password was changed meanwhile. */
export async function renewHash(tx: Tx, account: AccountRow, renewed: string): Promise<void> {
  await tx.query(sql`
    update users set password_hash = ${renewed}
    where company_id = ${account.companyId} and id = ${account.id} and password_hash = ${account.passwordHash}`);
}
