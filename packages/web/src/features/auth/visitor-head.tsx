import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { brand } from "../../ui/brand.ts";
import { LanguageMenu } from "../../ui/language-menu.tsx";
import { Logo } from "../../ui/logo.tsx";
import { ThemeToggle } from "../../ui/theme-toggle.tsx";
import classes from "./visitor-head.module.css";

type Props = { before?: ReactNode; children?: ReactNode };

/** The product's name, and theme and language, above a page for visitors. */
export function VisitorHead({ before, children }: Props): ReactNode {
  return (
    <header className={classes["head"]}>
      {before}
      <span className={classes["brand"]}>
        <Logo className={classes["logo"]} />
        {brand().product}
      </span>
      {children}
      <ThemeToggle />
      <LanguageMenu />
    </header>
  );
}

/** Whose the product is, below a page for visitors. */
export function BrandOwner(): ReactNode {
  const { t } = useTranslation();
  const { owner } = brand();
  if (owner === undefined) return null;
  return <footer className={classes["owner"]}>{t("auth.owner", { owner })}</footer>;
}
