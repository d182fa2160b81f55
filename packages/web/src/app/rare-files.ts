/** Files that are not fetched ahead: emojis, code for touch screens and for a time without a network, and pages that few open or that do nothing while the network is down, with their texts. */
export const isRare = (file: string): boolean =>
  /\/(api|imports|lists|macros|invoices|steps|provider|checkout|campaigns|campaign-[a-z]+|chat|emoji-picker|dashboard|wall|reports|figures|kanban|teamwork|operation|programs|programs-more|calendar|login|visitors|offline|trust|touch|prompts|texts-\w+-(auth|rare|campaigns|figures|kanban|operation|programs|provider|teamwork|trust))-/.test(
    file,
  );
