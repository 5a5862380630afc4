// Deletes leases of a family that nobody has held for a long time, a limited number at a time.
MATCH (lease:Lease)
WHERE lease.name STARTS WITH $prefix AND lease.touchedAt < timestamp() - toInteger($ageMs)
WITH lease LIMIT toInteger($limit)
DELETE lease
RETURN count(*) AS removed
