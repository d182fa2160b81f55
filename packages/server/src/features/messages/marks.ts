/** In front of what bots of the product family send, and of hardly anything that people write (behaviour 0.2). */
export const AUTOMATIC_MARK = "\u200e";
/** In front of what their campaigns send. */
export const CAMPAIGN_MARK = "\u200c ";

/** The media type of a line that says that the contact has another number; it was never on the network. */
export const NUMBER_CHANGED = "number_changed";
