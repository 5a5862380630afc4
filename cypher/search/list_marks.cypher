// Lists some of the records that are marked, in the order of their ids, and for each what others tell of it now and what they told when it was last looked at. What could not be done is left alone for a while.
MATCH (mark:Dirty)
WHERE mark.entityId > $after AND coalesce(mark.retryAt, 0) <= timestamp()
WITH mark
ORDER BY mark.entityId
LIMIT toInteger($limit)
OPTIONAL MATCH (doc:SearchDoc {id: mark.entityId})
RETURN mark.entityId AS id, mark.entityType AS entityType, coalesce(mark.isStale, false) AS isStale, doc.face AS face,
  doc.toldFace AS toldFace
