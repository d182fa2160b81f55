import type { ReactNode } from "react";
import { Suspense } from "react";
import { i18n, withTexts } from "../i18n/index.ts";
import { createStore, useStore } from "../store/index.ts";
import { errorText } from "./error-text.ts";
import type { Toast } from "./toast-host.tsx";
import { lazyPart } from "./lazy-part.tsx";

// Most visits show no toast, so the code loads with the first one.
const loadHost = () => import("./toast-host.tsx");
const ToastHost = lazyPart(async () => (await loadHost()).ToastHost);

const isWanted = createStore(false);

/** The place of toasts; mounted once, in `main.tsx`. */
export function Toasts(): ReactNode {
  const isShown = useStore(isWanted);
  if (!isShown) return null;
  return (
    <Suspense fallback={null}>
      <ToastHost />
    </Suspense>
  );
}

/** Confirms an action; 3 s. */
export function notifySuccess(text: string): void {
  show(() => ({ tone: "ok", text }));
}

/** Informs about something that the user did not start; 3 s. */
export function notifyInfo(text: string): void {
  show(() => ({ tone: "info", text }));
}

/** The same with a button, which gets time to be reached. */
export function notifyWith(text: string, action: NonNullable<Toast["action"]>): void {
  show(() => ({ tone: "info", text, action }));
}

/** Shows an error; 2 s. Errors that the user must act on are shown elsewhere too. */
export function notifyError(error: unknown): void {
  // The later texts have the reason; they load with the toast host.
  show(() => ({
    tone: "bad",
    text: typeof error === "string" ? error : errorText(i18n.t, error),
  }));
}

function show(toast: () => Toast): void {
  isWanted.set(true);
  withTexts("later", loadHost())
    .then(({ showToast }) => showToast(toast()))
    .catch(reportError);
}
