/** In front of what bots of the product family send, and of hardly anything that people write (behaviour 0.2). */
export const AUTOMATIC_MARK = "\u200e";
/** In front of what their campaigns send. */
export const CAMPAIGN_MARK = "\u200c ";
