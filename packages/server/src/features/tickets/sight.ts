/** Select list of `TicketSight` for a row `t` of tickets joined by `sightJoin`. */
export const sightColumns = `
  t.status, t.user_id as "userId", t.queue_id as "queueId",
  served.user_id as "servedByUserId", served.queue_id as "servedByQueueId"`;

/** What `sightColumns` reads beside `t`. */
export const sightJoin = `
  left join attendances served on served.company_id = t.company_id and served.id = t.last_attendance_id`;
