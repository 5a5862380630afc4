// Answers which of some people were told of events after a number and up to another one.
UNWIND $userIds AS userId
CALL (userId) {
  MATCH (note:Notification)
  USING INDEX SEEK note:Notification(userId, seq)
  WHERE note.userId = userId AND note.seq > $after AND note.seq <= $upTo
  RETURN note.seq AS seq
  LIMIT 1
}
RETURN userId
