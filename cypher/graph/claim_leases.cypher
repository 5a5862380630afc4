// Gives rights to one process for a while, or leaves them to it for longer. Of those that another process has, it is noted that somebody else would take them.
// A right that lasts longer than it was given for was written before the clock was set back: it lasts that long from now on.
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
