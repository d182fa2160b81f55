import type { ReactNode } from "react";
import { Suspense } from "react";
import { useSession } from "../../features/auth/index.ts";
import { formatDate } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { LivePill } from "./live-pill.tsx";
import classes from "./top-bar.module.css";
import { lazyPart } from "../../ui/lazy-part.tsx";

// Menus and what opens over the page are a fifth of the shell's code; the page is drawn while they are on their way.
const TopBarTools = lazyPart(async () => (await import("./top-bar-tools.tsx")).TopBarTools);

/** Greeting and company at the left; live state and the buttons at the right. */
export function TopBar(): ReactNode {
  return (
    <header className={classes["bar"]}>
      <Greeting />
      <LivePill />
      <Suspense fallback={<span className={classes["toolsRoom"]} />}>
        <TopBarTools />
      </Suspense>
    </header>
  );
}

/** "Olá, Marina", the company, and for admins until when it is active. */
function Greeting(): ReactNode {
  const { t } = useTranslation();
  const { user } = useSession();
  const { company } = user;
  const firstName = user.name.trim().split(/\s+/)[0] ?? "";
  const activeUntil =
    user.profile === "admin" && company.dueDate !== null
      ? `, ${t("shell.activeUntil", { date: formatDate(company.dueDate) })}`
      : "";
  return (
    <div className={classes["who"]}>
      <span className={classes["greeting"]}>{t("shell.greeting", { name: firstName })}</span>
      <span className={classes["company"]}>
        {company.name}
        {activeUntil}
      </span>
    </div>
  );
}
