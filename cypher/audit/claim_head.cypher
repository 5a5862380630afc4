// Locks the head of the audit log, creating it with the first entry, and returns the start and end of the log.
MERGE (head:AuditHead {name: 'audit'})
ON CREATE SET head.seq = 0, head.hash = '', head.anchorSeq = 0, head.anchorHash = ''
SET head.locked = true
RETURN head.seq AS seq, head.hash AS hash, head.anchorSeq AS anchorSeq, head.anchorHash AS anchorHash
