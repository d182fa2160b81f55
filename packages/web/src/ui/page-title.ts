import { useEffect } from "react";
import { createStore, useStore } from "../store/index.ts";
import { brand } from "./brand.ts";

const unread = createStore(0);

/** Sets the title of the browser's tab: "Simulador · Balcão", or "(3) Simulador · Balcão" with unread tickets. */
export function usePageTitle(name: string | null): void {
  const { product } = brand();
  const count = useStore(unread);
  useEffect(() => {
    const page = name === null ? product : `${name} · ${product}`;
    document.title = count === 0 ? page : `(${count}) ${page}`;
  }, [name, product, count]);
}

/** Shows the number of unread tickets in the tab's title while mounted. */
export function useTitleCount(count: number): void {
  useEffect(() => {
    unread.set(count);
  }, [count]);
  useEffect(() => () => unread.set(0), []);
}
