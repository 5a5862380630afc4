// Gives a piece of regular work to one process for a while; nothing when another one has it.
MERGE (lease:Lease {name: $name})
SET lease.touchedAt = timestamp()
WITH lease
WHERE coalesce(lease.until, 0) < timestamp()
SET lease.until = timestamp() + toInteger($forMs)
RETURN lease.name AS name
