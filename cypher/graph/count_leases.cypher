// Counts the leases of a family that are held now. One that lasts longer than it was granted for was written before the
// clock was set back; it does not count, because a process that still holds it will renew it.
MATCH (lease:Lease)
WHERE lease.name STARTS WITH $prefix AND lease.until > timestamp()
  AND lease.until <= timestamp() + coalesce(lease.forMs, 3600000)
RETURN count(lease) AS held
