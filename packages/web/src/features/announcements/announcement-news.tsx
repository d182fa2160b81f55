import type { Announcement } from "@balcao/contract";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Suspense, useEffect, useState } from "react";
import { i18n, withTexts } from "../../i18n/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { notifyWith } from "../../ui/toasts.tsx";
import { onArrival, unseenQuery } from "./api.ts";
import { unseenCount } from "./unseen.ts";

const AnnouncementsDialog = lazyPart(
  async () => (await import("./announcements-popover.tsx")).AnnouncementsDialog,
  "over",
  "teamwork",
);

/** Counts the unseen announcements and says that one has come; mounted once, in the shell. */
export function AnnouncementNews(): ReactNode {
  const { data } = useQuery(unseenQuery);
  const [said, setSaid] = useState("");
  const [isOpen, setOpen] = useState(false);
  const count = data?.unseen.length ?? 0;
  useEffect(() => {
    unseenCount.set(count);
    return () => unseenCount.set(0);
  }, [count]);
  useEffect(() => {
    const say = (record: Announcement): void => {
      const text = i18n.t("announcements.arrived", { name: record.title });
      // A toast is read aloud too.
      if (record.priority !== 1) return setSaid(text);
      const show = { label: i18n.t("announcements.show"), run: () => showList(setOpen) };
      notifyWith(text, show);
    };
    return onArrival((record) => {
      withTexts("teamwork", Promise.resolve())
        .then(() => say(record))
        .catch(reportError);
    });
  }, []);
  return (
    <>
      <p className="bc-hidden-text" role="status">
        {said}
      </p>
      <Suspense fallback={null}>
        {isOpen ? <AnnouncementsDialog onClose={() => setOpen(false)} /> : null}
      </Suspense>
    </>
  );
}

/** Presses the button of the top bar. On a narrow screen it stands in the closed menu, so a dialog has the list. */
function showList(setOpen: (isOpen: boolean) => void): void {
  const button = document.querySelector<HTMLElement>("[data-announcements]");
  if (button === null) setOpen(true);
  else if (button.ariaExpanded !== "true") button.click();
}
