import { IconCircleCheck, IconInfoCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { signOutToExplain } from "../../api/session-store.ts";
import type { PlainTextKey } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link, useLocation } from "../../router/index.tsx";
import { brand } from "../../ui/brand.ts";
import { AfterShown } from "../../ui/after-shown.tsx";
import { Look } from "../../ui/look.tsx";
import { usePageTitle } from "../../ui/page-title.ts";
import { isSignUpShown } from "./api.ts";
import { LoginForm } from "./login-form.tsx";
import classes from "./login-page.module.css";
import { LoginPicture } from "./login-picture.tsx";
import { BrandOwner, VisitorHead } from "./visitor-head.tsx";

const doneTexts = {
  "signed-up": "auth.signUp.done",
  "password-reset": "auth.forgot.done",
} as const satisfies Record<string, PlainTextKey>;

/** What another page of visitors leaves for the sign-in in the history entry: the e-mail, what was done, and where to go then. */
export type Arrival = {
  email: string;
  done: keyof typeof doneTexts | null;
  from?: { pathname: string };
};

/** The sign-in page. Says why the last session ended, unless the user signed out. */
export function LoginPage(): ReactNode {
  const { t } = useTranslation();
  usePageTitle(t("auth.title"));
  const arrival = arrivalOf(useLocation().state);
  const reason = arrival === null ? signOutToExplain() : null;
  return (
    <div className={classes["page"]}>
      <div className={classes["side"]}>
        <VisitorHead />
        <main className={classes["middle"]}>
          <h1 className={classes["title"]}>{t("auth.title")}</h1>
          <p className={classes["lead"]}>{t("auth.lead")}</p>
          {arrival === null || arrival.done === null ? null : (
            <p className={classes["notice"]} data-tone="ok" role="status">
              <IconCircleCheck size={18} stroke={1.7} aria-hidden="true" />
              {t(doneTexts[arrival.done])}
            </p>
          )}
          {reason === null ? null : (
            <p className={classes["notice"]} data-tone="info" role="status">
              <IconInfoCircle size={18} stroke={1.7} aria-hidden="true" />
              {t(reason === "elsewhere" ? "auth.elsewhere" : "auth.ended")}
            </p>
          )}
          <Look>
            <LoginForm email={arrival?.email ?? ""} />
          </Look>
          <div className={classes["below"]}>
            <AfterShown>
              <SignUpLink />
            </AfterShown>
          </div>
        </main>
        <BrandOwner />
      </div>
      <aside className={classes["picture"]}>
        <LoginPicture />
      </aside>
    </div>
  );
}

/** The way to the sign-up, when the provider's settings say that there is one. */
function SignUpLink(): ReactNode {
  const { t } = useTranslation();
  const { data: isShown = false } = useQuery({
    queryKey: ["sign-up", "shown"],
    queryFn: ({ signal }) => isSignUpShown(signal),
    meta: { live: false },
  });
  if (!isShown) return null;
  return (
    <p className={classes["signUp"]}>
      {t("auth.signUp.newHere", { product: brand().product })}{" "}
      <Link to="/signup">{t("auth.signUp.free")}</Link>
    </p>
  );
}

function arrivalOf(state: unknown): Arrival | null {
  if (typeof state !== "object" || state === null || !("done" in state && "email" in state)) {
    return null;
  }
  const { done, email } = state;
  if (typeof email !== "string") return null;
  return { email, done: isDone(done) ? done : null };
}

const isDone = (done: unknown): done is keyof typeof doneTexts =>
  typeof done === "string" && Object.hasOwn(doneTexts, done);
