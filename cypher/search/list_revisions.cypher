// Lists some records of one type that have a document, with the revision it was written at, in the order of their ids.
MATCH (doc:SearchDoc)
WHERE doc.id > $after
  AND doc.entityType = $entityType
WITH doc
ORDER BY doc.id
LIMIT toInteger($limit)
RETURN doc.id AS id, doc.revision AS revision
