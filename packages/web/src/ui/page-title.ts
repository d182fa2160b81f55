import { useEffect } from "react";
import { useTranslation } from "../i18n/index.ts";
import { createStore, useStore } from "../store/index.ts";

const unread = createStore(0);

/** Names the page in the browser's tab: "Simulador · Balcão", with what waits to be read before it: "(3) …". */
export function usePageTitle(name: string | null): void {
  const { t } = useTranslation();
  const product = t("common.product");
  const count = useStore(unread);
  useEffect(() => {
    const page = name === null ? product : `${name} · ${product}`;
    document.title = count === 0 ? page : `(${count}) ${page}`;
  }, [name, product, count]);
}

/** How much waits to be read, shown in the tab as long as the caller is mounted. */
export function useTitleCount(count: number): void {
  useEffect(() => {
    unread.set(count);
  }, [count]);
  useEffect(() => () => unread.set(0), []);
}
