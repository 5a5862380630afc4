// Removes some of what has had its time, and tells how much.
MATCH (gone:Expiring)
WHERE gone.expiresAt <= $now
WITH gone LIMIT toInteger($limit)
DETACH DELETE gone
RETURN count(*) AS removed
