// Answers which of some users have notifications for events after one number and up to another.
UNWIND $userIds AS userId
CALL (userId) {
  MATCH (note:Notification)
  USING INDEX SEEK note:Notification(userId, seq)
  WHERE note.userId = userId AND note.seq > $after AND note.seq <= $upTo
  RETURN note.seq AS seq
  LIMIT 1
}
RETURN userId
