// Lists the notifications of a user for events after one number and up to another, in order.
MATCH (note:Notification)
USING INDEX SEEK note:Notification(userId, seq)
WHERE note.userId = $userId AND note.seq > $after AND note.seq <= $upTo
WITH note ORDER BY note.userId, note.seq
LIMIT toInteger($limit)
RETURN note{.*} AS note
