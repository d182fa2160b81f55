import type { PictureWish } from "./pictures.ts";
import { convertPicture } from "./pictures.ts";

export type { PictureAnswer, PictureWish } from "./pictures.ts";

// A process of its own, which converts one picture after the other at low priority (docs/fair-share.md).

process.on("message", (wish: PictureWish) => {
  void convertPicture(wish).then((answer) => process.send?.(answer));
});
// The product has ended.
process.on("disconnect", () => process.exit(0));
