// Returns the start and end of the audit log.
MATCH (head:AuditHead {name: 'audit'})
RETURN head.seq AS seq, head.hash AS hash, head.anchorSeq AS anchorSeq, head.anchorHash AS anchorHash
