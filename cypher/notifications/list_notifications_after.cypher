// Lists what somebody was told of the events after a number and up to another one, in their order.
MATCH (note:Notification)
USING INDEX SEEK note:Notification(userId, seq)
WHERE note.userId = $userId AND note.seq > $after AND note.seq <= $upTo
WITH note ORDER BY note.userId, note.seq
LIMIT toInteger($limit)
RETURN note{.*} AS note
