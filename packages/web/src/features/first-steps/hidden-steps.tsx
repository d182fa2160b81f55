import type { ReactNode } from "react";
import { Suspense } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useNavigate } from "../../router/index.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { useSession } from "../auth/index.ts";
import { memoryOf } from "./memory.ts";

const StepsCount = lazyPart(
  async () => (await import("./first-steps.tsx")).StepsCount,
  "inline",
  "provider",
);

/** The entry of a menu for first steps that the user has hidden: its words, and what it does. Null unless they are hidden. */
export function useHiddenSteps(): { words: ReactNode; show: () => void } | null {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { can, user } = useSession();
  const key = memoryOf(user.companyId);
  if (!can("companies:manage") || localStorage.getItem(key) !== "hidden") return null;
  return {
    words: (
      <>
        {t("firstSteps.menu")}
        <Suspense fallback={null}>
          <StepsCount />
        </Suspense>
      </>
    ),
    show() {
      localStorage.removeItem(key);
      navigate("/tickets", { state: "ticket" });
    },
  };
}
