import { createStore } from "../../store/index.ts";

/** Chromium's offer to install the page, which no standard has. */
export type InstallOffer = Event & { prompt(): Promise<unknown> };

/** The offer to show when the user wants to install; null where the browser makes none, and once it was used. */
export const installOffer = createStore<InstallOffer | null>(null);

/** Keeps the browser's offer, so that it does not come by itself. */
export function keepInstallOffer(): void {
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    installOffer.set(event as InstallOffer); // what Chromium sends under this name
  });
  addEventListener("appinstalled", () => installOffer.set(null));
}
