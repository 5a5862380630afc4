// Answers those of some records whose documents still differ, with both revisions.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
WHERE n.doomed IS NULL AND NOT EXISTS { (:Dirty {entityId: id}) }
OPTIONAL MATCH (doc:SearchDoc {id: id})
WITH n, doc
WHERE doc IS NULL OR doc.revision <> n.revision OR doc.form <> $form OR doc.entityType <> n.entityType
RETURN n.id AS id, n.entityType AS entityType, n.fullyQualifiedName AS fullyQualifiedName, n.revision AS revision,
  doc.revision AS documentRevision
