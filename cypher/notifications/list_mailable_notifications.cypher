// Lists for each mail subscription the notifications of its person that it has not mailed and that it selects, in the
// order of their events and a bounded number of them. A null list selects everything. Notifications of older versions
// store only the first reason.
UNWIND $rows AS row
CALL (row) {
  MATCH (note:Notification)
  USING INDEX SEEK note:Notification(userId, seq)
  WHERE note.userId = row.userId AND note.seq > row.after
    AND any(reason IN coalesce(note.reasons, [note.reason]) WHERE reason IN row.reasons)
    AND (row.entityTypes IS NULL OR note.entityType IN row.entityTypes)
    AND (row.eventTypes IS NULL OR note.eventType IN row.eventTypes)
  WITH note ORDER BY note.userId, note.seq
  LIMIT toInteger($limit)
  RETURN note
}
RETURN row.at AS at, note{.*} AS note
