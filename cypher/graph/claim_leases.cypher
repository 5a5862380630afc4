// Grants leases to a process for a limited time, or renews them. For a lease that another process holds, it records
// that there is a rival. A row that only renews is for a lease that the process still holds: one that was free or held
// by another in between stays as it is. A lease that lasts longer than it was granted for was written before the clock
// was set back, so its time starts again now.
UNWIND $rows AS row
MERGE (lease:Lease {name: row.name})
SET lease.touchedAt = timestamp()
WITH lease, row, timestamp() AS now, coalesce(lease.forMs, row.forMs) AS forMs
WITH lease, row, now,
  CASE WHEN lease.until > now + forMs THEN now + forMs ELSE coalesce(lease.until, 0) END AS until
WITH lease, row, now, until,
  coalesce(lease.holder = row.holder, false) OR (until < now AND NOT row.renewsOnly) AS isHeld,
  coalesce(lease.rivalAt, 0) > now - row.rivalMs AS hasRival
SET lease.holder = CASE WHEN isHeld THEN row.holder ELSE lease.holder END,
  lease.until = CASE WHEN isHeld THEN now + row.forMs ELSE until END,
  lease.forMs = CASE WHEN isHeld THEN row.forMs ELSE lease.forMs END,
  lease.rivalAt = CASE WHEN isHeld OR row.renewsOnly THEN lease.rivalAt ELSE now END
RETURN row.at AS at, isHeld, hasRival
