// Removes the marks of records whose documents are current, and stores the digest of what other documents contain of
// them. A record that has changed in the meantime keeps its mark.
UNWIND $rows AS row
OPTIONAL MATCH (n:Entity {id: row.id})
OPTIONAL MATCH (doc:SearchDoc {id: row.id})
// Writes only documents that differ, because most are unchanged.
FOREACH (late IN CASE WHEN doc.toldFace <> row.face OR doc.toldFace IS NULL OR doc.revision <> n.revision THEN [doc] ELSE [] END |
  SET late.toldFace = row.face, late.revision = n.revision
)
WITH row, doc
WHERE doc IS NULL OR doc.face = row.face
MATCH (mark:Dirty {entityId: row.id})
// Queues the change for Typesense, where it is fed.
OPTIONAL MATCH (feeding:Feeding {name: 'typesense'})
FOREACH (one IN CASE WHEN feeding IS NULL THEN [] ELSE [feeding] END |
  // The lock on the feeding node keeps the queue entry from being removed during the merge.
  SET one.turn = 0
  MERGE (unsent:Unsent {entityId: row.id})
  ON CREATE SET unsent.since = timestamp()
  SET unsent.entityType = mark.entityType, unsent.times = coalesce(unsent.times, 0) + 1, unsent.retryAt = 0
)
DELETE mark
RETURN row.id AS id
