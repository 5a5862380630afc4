// Lists entries of the audit log, oldest first.
MATCH (entry:AuditEntry)
WHERE entry.seq > $after AND entry.seq <= $until
  AND ($from IS NULL OR entry.at >= $from) AND ($to IS NULL OR entry.at <= $to)
  AND ($actor IS NULL OR entry.actor = $actor) AND ($action IS NULL OR entry.action = $action)
RETURN entry{.*} AS entry
ORDER BY entry.seq
LIMIT toInteger($limit)
