// Removes some rights of a family that nobody has had for long.
MATCH (lease:Lease)
WHERE lease.name STARTS WITH $prefix AND lease.touchedAt < timestamp() - toInteger($ageMs)
WITH lease LIMIT toInteger($limit)
DELETE lease
RETURN count(*) AS removed
