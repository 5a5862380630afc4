// Answers where the audit log begins and ends.
MATCH (head:AuditHead {name: 'audit'})
RETURN head.seq AS seq, head.hash AS hash, head.anchorSeq AS anchorSeq, head.anchorHash AS anchorHash
