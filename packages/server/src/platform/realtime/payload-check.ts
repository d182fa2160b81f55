import { isDeepStrictEqual } from "node:util";
import type { CompanyEventSubject } from "@balcao/contract";
import { companyEvents } from "@balcao/contract";

/**
 * Throws unless an event's payload is exactly what the contract declares: fields it does not declare would be a leak,
 * since events are sent as they are.
 */
export function checkPayload(subject: CompanyEventSubject, payload: unknown): void {
  const sent: unknown = JSON.parse(JSON.stringify(payload));
  const result = companyEvents[subject].safeParse(sent);
  if (!result.success) {
    throw new Error(`event ${subject} does not fit the contract: ${result.error.message}`);
  }
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(result.data)), sent)) {
    throw new Error(`event ${subject} carries fields the contract does not declare`);
  }
}
