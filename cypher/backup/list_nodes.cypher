// Lists the nodes that an archive stores: all except leases, pauses and the restore marker, which matter only to
// running processes.
MATCH (n)
WHERE NOT n:Lease AND NOT n:WritePause AND NOT n:Restore
RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
