import { useEffect, useSyncExternalStore } from "react";
import { useTranslation } from "../i18n/index.ts";

let unread = 0;
const listeners = new Set<() => void>();

/** Names the page in the browser's tab: "Simulador · Balcão", with what waits to be read before it: "(3) …". */
export function usePageTitle(name: string | null): void {
  const { t } = useTranslation();
  const product = t("common.product");
  const count = useSyncExternalStore(subscribe, () => unread);
  useEffect(() => {
    const page = name === null ? product : `${name} · ${product}`;
    document.title = count === 0 ? page : `(${count}) ${page}`;
  }, [name, product, count]);
}

/** How much waits to be read, shown in the tab as long as the caller is mounted. */
export function useTitleCount(count: number): void {
  useEffect(() => {
    change(count);
  }, [count]);
  useEffect(() => () => change(0), []);
}

function change(count: number): void {
  unread = count;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
