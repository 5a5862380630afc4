// Counts the rights of a family that somebody has at the moment.
MATCH (lease:Lease)
WHERE lease.name STARTS WITH $prefix AND lease.until > timestamp()
RETURN count(lease) AS held
