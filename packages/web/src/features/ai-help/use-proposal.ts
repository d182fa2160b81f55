import type { HelpProposal, RequestOf } from "@balcao/contract";
import { useEffect, useRef, useState } from "react";
import { ApiError, call, hasCode } from "../../api/client.ts";

export type HelpWish = RequestOf<"POST /tickets/:ticketId/help">["body"];

/** A little more than the server gives the service. */
const LIMIT_MS = 32_000;

/** Asks for a proposal; nothing is sent to the customer. */
export function askHelp(
  ticketId: number,
  wish: HelpWish,
  signal: AbortSignal,
): Promise<HelpProposal> {
  const request = { params: { ticketId }, body: wish };
  return call("POST /tickets/:ticketId/help", request, { signal, limitMs: LIMIT_MS });
}

/** Whether the service has not answered in its time. */
export const isTooSlow = (error: unknown): boolean =>
  hasCode(error, "ERR_PROMPT_NO_ANSWER") || hasCode(error, "ERR_TIMEOUT");

/** Trying again changes nothing. */
export const isFinal = (error: unknown): boolean =>
  error instanceof ApiError &&
  ["ERR_AI_NOT_OFFERED", "ERR_AI_HELP_NOTHING", "ERR_PROMPT_BUDGET_USED"].includes(error.code);

/** What was asked for, with `about` beside it, and what became of it. */
export type Asked<About> = { wish: HelpWish; about: About } & (
  | { state: "waiting" }
  | { state: "ready"; proposal: HelpProposal }
  | { state: "failed"; error: unknown }
);

/** One proposal at a time: asking again, closing and leaving the ticket end the call. */
export function useProposal<About>(ticketId: number) {
  const [asked, setAsked] = useState<Asked<About> | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  function stop(): void {
    running.current?.abort();
    running.current = null;
  }

  async function ask(wish: HelpWish, about: About): Promise<void> {
    stop();
    const own = new AbortController();
    running.current = own;
    setAsked({ wish, about, state: "waiting" });
    try {
      const proposal = await askHelp(ticketId, wish, own.signal);
      if (!own.signal.aborted) setAsked({ wish, about, state: "ready", proposal });
    } catch (error) {
      if (!own.signal.aborted) setAsked({ wish, about, state: "failed", error });
    }
  }

  return {
    asked,
    ask: (wish: HelpWish, about: About): void => void ask(wish, about),
    again: (): void => {
      if (asked) void ask(asked.wish, asked.about);
    },
    close: (): void => {
      stop();
      setAsked(null);
    },
  };
}
