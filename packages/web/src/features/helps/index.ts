import { lazyPart } from "../../ui/lazy-part.tsx";

/** The tab of super users that keeps the videos. */
export const HelpVideos = lazyPart(
  async () => (await import("./help-videos.tsx")).HelpVideos,
  "inline",
  "teamwork",
);
