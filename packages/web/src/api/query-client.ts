import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./client.ts";

const MAX_RETRIES = 2;

/** A repeated request does not change a 4xx; a network failure or a 5xx may pass. */
function isWorthRetrying(failureCount: number, error: unknown): boolean {
  if (failureCount >= MAX_RETRIES) return false;
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500;
}

/** The cache of server data. Live events keep it current, so nothing is refetched because of its age. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: isWorthRetrying,
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      // The live channel refetches what is on screen once it is ready again, which is the better moment.
      refetchOnReconnect: false,
      // Always tries the request: the browser's offline state is often wrong.
      networkMode: "always",
    },
    mutations: { retry: false, networkMode: "always" },
  },
});
