// Appends entries to the audit log and moves its head to the last one. The head must be locked.
MATCH (head:AuditHead {name: 'audit'})
SET head.seq = $seq, head.hash = $hash
WITH head
UNWIND $rows AS row
CREATE (entry:AuditEntry)
SET entry = row
RETURN count(*) AS added
