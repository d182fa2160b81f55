/** Texts of kanban, internal chat, announcements, help and to-do. */
export const teamwork = {};
