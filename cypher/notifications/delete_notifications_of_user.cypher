// Removes a batch of the notifications of a user.
MATCH (note:Notification)
USING INDEX SEEK note:Notification(userId, place)
WHERE note.userId = $userId AND note.place > ''
WITH note LIMIT toInteger($limit)
DETACH DELETE note
RETURN count(*) AS removed
