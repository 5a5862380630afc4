// Counts the rights of a family that somebody has at the moment. One that lasts longer than it was given for was written before the clock was set back, and whoever is still there writes it anew.
MATCH (lease:Lease)
WHERE lease.name STARTS WITH $prefix AND lease.until > timestamp()
  AND lease.until <= timestamp() + coalesce(lease.forMs, 3600000)
RETURN count(lease) AS held
