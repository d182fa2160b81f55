import { useEffect } from "react";
import { useTranslation } from "../i18n/index.ts";

/** Names the page in the browser's tab: "Simulador · Balcão". */
export function usePageTitle(name: string | null): void {
  const { t } = useTranslation();
  const product = t("common.product");
  useEffect(() => {
    document.title = name === null ? product : `${name} · ${product}`;
  }, [name, product]);
}
