// Gives rights to one process for a while, or leaves them to it for longer. Of those that another process has, it is noted that somebody else would take them.
UNWIND $rows AS row
MERGE (lease:Lease {name: row.name})
SET lease.touchedAt = timestamp()
WITH lease, row,
  coalesce(lease.holder = row.holder, false) OR coalesce(lease.until, 0) < timestamp() AS isHeld,
  coalesce(lease.rivalAt, 0) > timestamp() - row.rivalMs AS hasRival
SET lease.holder = CASE WHEN isHeld THEN row.holder ELSE lease.holder END,
  lease.until = CASE WHEN isHeld THEN timestamp() + row.forMs ELSE lease.until END,
  lease.rivalAt = CASE WHEN isHeld THEN lease.rivalAt ELSE timestamp() END
RETURN row.at AS at, isHeld, hasRival
