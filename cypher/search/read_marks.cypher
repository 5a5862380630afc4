// Reads the marks of records, with the digests of what other documents contain of them, now and at the last check.
UNWIND $ids AS id
MATCH (mark:Dirty {entityId: id})
OPTIONAL MATCH (doc:SearchDoc {id: id})
RETURN id, mark.entityType AS entityType, coalesce(mark.isStale, false) AS isStale, doc.face AS face,
  doc.toldFace AS toldFace
