import { IconUserCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useEffect, useMemo } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { createStore, useStore } from "../../store/index.ts";
import { useOfferCommands } from "../../ui/commands.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";

const ProfileDialog = lazyPart(
  async () => (await import("./user-dialog.tsx")).ProfileDialog,
  "over",
  "admin",
);

const isOpen = createStore(false);

/** Opens the signed-in user's profile over the current page. */
export function openProfile(): void {
  isOpen.set(true);
}

/** Renders the profile dialog outside the menus that open it, because they close. */
export function ProfileHost(): ReactNode {
  const { t } = useTranslation();
  const isShown = useStore(isOpen);
  const label = t("shell.profile");
  useOfferCommands(
    useMemo(() => [{ id: "profile", label, icon: IconUserCircle, run: openProfile }], [label]),
  );
  // Reset per sign-in: the next user does not see it.
  useEffect(() => () => isOpen.set(false), []);
  if (!isShown) return null;
  return (
    <Suspense fallback={null}>
      <ProfileDialog onClose={() => isOpen.set(false)} />
    </Suspense>
  );
}
