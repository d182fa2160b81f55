/** Texts of the dashboard, the wall view and the reports. */
export const figures = {};
