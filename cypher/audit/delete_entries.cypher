// Deletes the entries up to a given one. The head keeps that entry's hash, so that the rest can still be verified. The
// head must be locked.
MATCH (head:AuditHead {name: 'audit'})
SET head.anchorSeq = $seq, head.anchorHash = $hash
WITH head
MATCH (entry:AuditEntry)
WHERE entry.seq <= $seq
DELETE entry
RETURN count(*) AS removed
