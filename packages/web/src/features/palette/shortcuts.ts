/** Every key of the product by what it is for (ui.md section 4), for the list that "?" opens. */
export const shortcutGroups = [
  {
    title: "palette.groups.everywhere",
    rows: [
      { keys: ["Ctrl K"], label: "palette.keys.palette" },
      { keys: ["?"], label: "palette.keys.sheet" },
      { keys: ["Esc"], label: "palette.keys.escape" },
      { keys: ["Tab"], label: "palette.keys.skip" },
    ],
  },
  {
    title: "palette.groups.list",
    rows: [
      { keys: ["Alt ↓", "Alt ↑"], label: "palette.keys.step" },
      { keys: ["Alt 1", "Alt 2", "Alt 3"], label: "palette.keys.tabs" },
      { keys: ["↑", "↓", "Home", "End"], label: "palette.keys.move" },
      { keys: ["Alt A"], label: "palette.keys.accept" },
    ],
  },
  {
    title: "palette.groups.ticket",
    rows: [
      { keys: ["Alt R"], label: "palette.keys.resolve" },
      { keys: ["Alt T"], label: "palette.keys.transfer" },
      { keys: ["Alt I"], label: "palette.keys.contact" },
      { keys: ["Alt S"], label: "palette.keys.schedule" },
      { keys: ["R"], label: "palette.keys.reply" },
      { keys: ["M"], label: "palette.keys.menu" },
    ],
  },
  {
    title: "palette.groups.composer",
    rows: [
      { keys: ["Enter", "Ctrl Enter"], label: "palette.keys.send" },
      { keys: ["Shift Enter"], label: "palette.keys.newLine" },
      { keys: ["↑"], label: "palette.keys.editLast" },
      { keys: ["/"], label: "palette.keys.quickReplies" },
    ],
  },
] as const;
