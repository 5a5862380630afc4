// Lists everything that an archive keeps as a node: all but leases and pauses, which mean something to running processes only.
MATCH (n)
WHERE NOT n:Lease AND NOT n:WritePause AND NOT n:Restore
RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
