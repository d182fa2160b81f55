import type { ReactNode } from "react";
import { Suspense, useSyncExternalStore } from "react";
import { i18n } from "../i18n/index.ts";
import { errorText } from "./error-text.ts";
import type { Toast } from "./toast-host.tsx";
import { lazyPart } from "./lazy-part.tsx";

// Most visits see no toast, so what shows them is fetched with the first one.
const loadHost = () => import("./toast-host.tsx");
const ToastHost = lazyPart(async () => (await loadHost()).ToastHost);

let isWanted = false;
const listeners = new Set<() => void>();

/** Where toasts appear; once, in the providers. */
export function Toasts(): ReactNode {
  const isShown = useSyncExternalStore(subscribe, () => isWanted);
  if (!isShown) return null;
  return (
    <Suspense fallback={null}>
      <ToastHost />
    </Suspense>
  );
}

/** Says that something was done; 3 s. */
export function notifySuccess(text: string): void {
  show({ tone: "ok", text });
}

/** Says something worth knowing that nobody asked for; 3 s. */
export function notifyInfo(text: string): void {
  show({ tone: "info", text });
}

/** Says what failed, in words; 2 s. Never the only place of an error the user must act on. */
export function notifyError(error: unknown): void {
  show({ tone: "bad", text: typeof error === "string" ? error : errorText(i18n.t, error) });
}

function show(toast: Toast): void {
  isWanted = true;
  for (const listener of listeners) listener();
  loadHost()
    .then(({ showToast }) => showToast(toast))
    .catch(reportError);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
