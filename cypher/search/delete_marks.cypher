// Removes marks of records whose documents are up to date, and remembers what others were told to tell of them. A record that has become another meanwhile keeps its mark.
UNWIND $rows AS row
OPTIONAL MATCH (n:Entity {id: row.id})
OPTIONAL MATCH (doc:SearchDoc {id: row.id})
// Most documents are as they were written, and what is not changed need not be written.
FOREACH (late IN CASE WHEN doc.toldFace <> row.face OR doc.toldFace IS NULL OR doc.revision <> n.revision THEN [doc] ELSE [] END |
  SET late.toldFace = row.face, late.revision = n.revision
)
WITH row, doc
WHERE doc IS NULL OR doc.face = row.face
MATCH (mark:Dirty {entityId: row.id})
// Where another engine is fed, it does not know yet what has changed.
OPTIONAL MATCH (feeding:Feeding {name: 'typesense'})
FOREACH (one IN CASE WHEN feeding IS NULL THEN [] ELSE [feeding] END |
  // Nobody removes a note while it is looked for.
  SET one.turn = 0
  MERGE (unsent:Unsent {entityId: row.id})
  ON CREATE SET unsent.since = timestamp()
  SET unsent.entityType = mark.entityType, unsent.times = coalesce(unsent.times, 0) + 1, unsent.retryAt = 0
)
DELETE mark
RETURN row.id AS id
