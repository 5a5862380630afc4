// Releases leases before they expire.
UNWIND $rows AS row
MATCH (lease:Lease {name: row.name})
SET lease.touchedAt = timestamp()
WITH lease, row
WHERE lease.holder = row.holder
SET lease.until = 0, lease.holder = null
RETURN row.at AS at
