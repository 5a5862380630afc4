// Lists a page of marked records, in the order of ids, with the digests of what other documents contain of them, now
// and at the last check. Records that failed lately are left out until their retry.
MATCH (mark:Dirty)
WHERE mark.entityId > $after AND coalesce(mark.retryAt, 0) <= timestamp()
WITH mark
ORDER BY mark.entityId
LIMIT toInteger($limit)
OPTIONAL MATCH (doc:SearchDoc {id: mark.entityId})
RETURN mark.entityId AS id, mark.entityType AS entityType, coalesce(mark.isStale, false) AS isStale, doc.face AS face,
  doc.toldFace AS toldFace
