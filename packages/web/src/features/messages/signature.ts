const SIGNATURE = /^\*([^*\n]+):\*\n/;

/** The text as it leaves with the agent's name above it (spec 2, "sign-message option"). */
export function sign(name: string, body: string): string {
  return `*${name.replaceAll("*", "")}:*\n${body}`;
}

/** Takes the name above a signed text apart; `author` is null when it is not signed. */
export function splitSignature(body: string): { author: string | null; text: string } {
  const match = SIGNATURE.exec(body);
  if (!match) return { author: null, text: body };
  return { author: match[1] ?? null, text: body.slice(match[0].length) };
}
