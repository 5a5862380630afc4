// Renews leases that a process still holds. One that was free or held by another process in between is not renewed.
UNWIND $rows AS row
MATCH (lease:Lease {name: row.name})
SET lease.touchedAt = timestamp()
WITH lease, row, timestamp() AS now
WHERE lease.holder = row.holder
SET lease.until = now + row.forMs, lease.forMs = row.forMs
RETURN row.at AS at, coalesce(lease.rivalAt, 0) > now - row.rivalMs AS hasRival
