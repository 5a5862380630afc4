// Lists what some records of some types are found by, in the order of their ids.
MATCH (doc:SearchDoc)
WHERE doc.id > $after
  AND doc.entityType IN $entityTypes
WITH doc
ORDER BY doc.id
LIMIT toInteger($limit)
RETURN doc.id AS id, doc.entityType AS entityType, doc.revision AS revision, properties(doc) AS stored
