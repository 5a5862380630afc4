// Removes a batch of notifications before a position in time order.
MATCH (note:Notification)
WHERE note.place < $edge
WITH note LIMIT toInteger($limit)
DETACH DELETE note
RETURN count(*) AS removed
