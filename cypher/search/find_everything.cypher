// Lists one page of all documents of some kinds by name. Each kind is read from the index in order.
UNWIND $entityTypes AS entityType
CALL (entityType) {
  MATCH (doc:SearchDoc)
  USING INDEX doc:SearchDoc(entityType, deleted, nameSort, id)
  WHERE doc.entityType = entityType AND doc.deleted = false AND doc.nameSort >= $behind.name AND doc.id > ''
    AND (doc.nameSort > $behind.name OR doc.id > $behind.id)
  WITH doc
  ORDER BY doc.entityType, doc.deleted, doc.nameSort, doc.id
  LIMIT toInteger($from + $size)
  RETURN doc
}
WITH doc
ORDER BY doc.nameSort, doc.id
SKIP toInteger($from)
LIMIT toInteger($size)
RETURN doc.id AS id, doc.entityType AS entityType, 1.0 AS key, doc.nameSort AS name
