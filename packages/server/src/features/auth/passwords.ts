import { limits } from "@balcao/contract";
import type { Options } from "@node-rs/argon2";
import { hash, verify } from "@node-rs/argon2";

/** 19 MiB, two passes, one lane: about 20 ms of one core. The kind is argon2id by default. */
const COST: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** A password as the database keeps it. Callers check its length first. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, COST);
}

export type PasswordCheck = {
  /**
   * Whether the password belongs to the hash. Without a hash (no such account), or with a password no account can have,
   * it takes as long and is false: time tells nobody which accounts exist.
   */
  matches(password: string, passwordHash: string | undefined): Promise<boolean>;
};

/** `unguessable` is any secret text; its hash stands in for accounts that do not exist. */
export async function createPasswordCheck(unguessable: string): Promise<PasswordCheck> {
  const standIn = await hashPassword(unguessable);
  return {
    async matches(password, passwordHash) {
      const bounded = password.slice(0, limits.passwordMax);
      const isRight = await verify(passwordHash ?? standIn, bounded);
      return isRight && passwordHash !== undefined && bounded === password;
    },
  };
}
