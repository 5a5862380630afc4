// Lists a page of records without a document, or with one in another format, in the order of ids.
MATCH (n:Entity)
WHERE n.id > $after AND n.entityType IN $types AND n.doomed IS NULL
  AND NOT EXISTS { (doc:SearchDoc {id: n.id}) WHERE doc.form = $form }
WITH n
ORDER BY n.id
LIMIT toInteger($limit)
RETURN n.id AS id
