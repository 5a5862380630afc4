// Answers the marks of records: for each what others tell of it now and what they told when it was last looked at.
UNWIND $ids AS id
MATCH (mark:Dirty {entityId: id})
OPTIONAL MATCH (doc:SearchDoc {id: id})
RETURN id, mark.entityType AS entityType, coalesce(mark.isStale, false) AS isStale, doc.face AS face,
  doc.toldFace AS toldFace
