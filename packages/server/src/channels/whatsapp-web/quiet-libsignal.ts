const METHODS = ["log", "info", "warn", "error", "debug", "trace"] as const;
const LIBRARY = /[\\/]node_modules[\\/]libsignal[\\/]/;

let isQuiet = false;

/**
 * Nothing that libsignal says reaches the console any more: it prints whole sessions with their private keys. Everybody
 * else's words pass. Once for the process.
 */
export function quietLibsignal(): void {
  if (isQuiet) return;
  isQuiet = true;
  for (const method of METHODS) {
    const original = globalThis.console[method].bind(globalThis.console);
    globalThis.console[method] = (...words: unknown[]) => {
      if (!isSaidByLibsignal()) original(...words);
    };
  }
}

/** Whether it is the caller's caller. */
function isSaidByLibsignal(): boolean {
  const lines = new Error().stack?.split("\n") ?? [];
  // The error's own line, this function, the replaced method, who called it.
  return LIBRARY.test(lines[3] ?? "");
}
