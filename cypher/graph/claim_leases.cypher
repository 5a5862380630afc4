// Grants leases to a process for a limited time, or renews them. For a lease that another process holds, it records
// that there is a rival. A lease that lasts longer than it was granted for was written before the clock was set back,
// so its time starts again now.
UNWIND $rows AS row
MERGE (lease:Lease {name: row.name})
SET lease.touchedAt = timestamp()
WITH lease, row, timestamp() AS now, coalesce(lease.forMs, row.forMs) AS forMs
WITH lease, row, now,
  CASE WHEN lease.until > now + forMs THEN now + forMs ELSE coalesce(lease.until, 0) END AS until
WITH lease, row, now, until,
  coalesce(lease.holder = row.holder, false) OR until < now AS isHeld,
  coalesce(lease.rivalAt, 0) > now - row.rivalMs AS hasRival
SET lease.holder = CASE WHEN isHeld THEN row.holder ELSE lease.holder END,
  lease.until = CASE WHEN isHeld THEN now + row.forMs ELSE until END,
  lease.forMs = CASE WHEN isHeld THEN row.forMs ELSE lease.forMs END,
  lease.rivalAt = CASE WHEN isHeld THEN lease.rivalAt ELSE now END
RETURN row.at AS at, isHeld, hasRival
