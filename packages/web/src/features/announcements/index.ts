import { lazyPart } from "../../ui/lazy-part.tsx";

export { AnnouncementsButton } from "./button.tsx";
/** Follows the announcements on every page. */
export const AnnouncementNews = lazyPart(
  async () => (await import("./announcement-news.tsx")).AnnouncementNews,
  "over",
  "first",
);
