import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./client.ts";

const MAX_RETRIES = 2;

/** What a 4xx answers will not change by asking again; a missing network or a 5xx may. */
function isWorthRetrying(failureCount: number, error: unknown): boolean {
  if (failureCount >= MAX_RETRIES) return false;
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500;
}

/** The one cache of server data. Live events keep it current, so nothing is refetched for being a little old. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: isWorthRetrying,
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      // The live channel refetches what is on screen once it is ready again, which is the better moment.
      refetchOnReconnect: false,
      // Asks at once and fails honestly: the browser's own idea of being offline is often wrong.
      networkMode: "always",
    },
    mutations: { retry: false, networkMode: "always" },
  },
});
