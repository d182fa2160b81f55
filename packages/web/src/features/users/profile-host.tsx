import { IconUserCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useEffect, useMemo, useSyncExternalStore } from "react";
import { useTranslation, withPageTexts } from "../../i18n/index.ts";
import { useOfferCommands } from "../../ui/commands.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";

const ProfileDialog = lazyPart(
  async () => (await withPageTexts(import("./profile-dialog.tsx"))).ProfileDialog,
  "over",
);

let isOpen = false;
const listeners = new Set<() => void>();

/** Opens the profile of whoever is signed in, over whatever page he is on. */
export function openProfile(): void {
  change(true);
}

/** Where the profile dialog is: above the menus that open it, which close. */
export function ProfileHost(): ReactNode {
  const { t } = useTranslation();
  const isShown = useSyncExternalStore(subscribe, () => isOpen);
  const label = t("shell.profile");
  useOfferCommands(
    useMemo(() => [{ id: "profile", label, icon: IconUserCircle, run: openProfile }], [label]),
  );
  // It belongs to one sign-in: the next one does not begin with it.
  useEffect(() => () => change(false), []);
  if (!isShown) return null;
  return (
    <Suspense fallback={null}>
      <ProfileDialog onClose={() => change(false)} />
    </Suspense>
  );
}

function change(to: boolean): void {
  isOpen = to;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
