import { IconInfoCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { signOutToExplain } from "../../api/session-store.ts";
import { useTranslation } from "../../i18n/index.ts";
import { LanguageMenu } from "../../ui/language-menu.tsx";
import { Look } from "../../ui/look.tsx";
import { Logo } from "../../ui/logo.tsx";
import { usePageTitle } from "../../ui/page-title.ts";
import { ThemeToggle } from "../../ui/theme-toggle.tsx";
import { LoginForm } from "./login-form.tsx";
import classes from "./login-page.module.css";
import { LoginPicture } from "./login-picture.tsx";

/** The sign-in page. Says why the last session ended, unless the user signed out. */
export function LoginPage(): ReactNode {
  const { t } = useTranslation();
  usePageTitle(t("auth.title"));
  const reason = signOutToExplain();
  return (
    <div className={classes["page"]}>
      <div className={classes["side"]}>
        <header className={classes["head"]}>
          <span className={classes["brand"]}>
            <Logo className={classes["logo"]} />
            {t("common.product")}
          </span>
          <ThemeToggle />
          <LanguageMenu />
        </header>
        <main className={classes["middle"]}>
          <h1 className={classes["title"]}>{t("auth.title")}</h1>
          <p className={classes["lead"]}>{t("auth.lead")}</p>
          {reason === null ? null : (
            <p className={classes["explain"]} role="status">
              <IconInfoCircle size={18} stroke={1.7} aria-hidden="true" />
              {t(reason === "elsewhere" ? "auth.elsewhere" : "auth.ended")}
            </p>
          )}
          <Look>
            <LoginForm />
          </Look>
        </main>
      </div>
      <aside className={classes["picture"]}>
        <LoginPicture />
      </aside>
    </div>
  );
}
