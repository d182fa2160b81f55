import { QueryClientProvider } from "@tanstack/react-query";
import type { RenderResult } from "@testing-library/react";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { queryClient } from "../../../api/query-client.ts";
import { Look } from "../../../ui/look.tsx";
import { Toasts } from "../../../ui/toasts.tsx";

/** Renders on the product's own query cache, which live events change; it starts empty. */
export function renderOnCache(screen: ReactNode): RenderResult {
  queryClient.clear();
  return render(
    <Look env="test">
      <QueryClientProvider client={queryClient}>
        <Toasts />
        {screen}
      </QueryClientProvider>
    </Look>,
  );
}
