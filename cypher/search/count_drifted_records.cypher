// Compares a page of records with their documents, in the order of ids. Marked records are counted as pending.
MATCH (n:Entity)
WHERE n.id > $after AND n.entityType IN $types AND n.doomed IS NULL
WITH n
ORDER BY n.id
LIMIT toInteger($limit)
OPTIONAL MATCH (doc:SearchDoc {id: n.id})
WITH n, doc IS NULL AS isBare, CASE
  WHEN doc IS NULL THEN true
  ELSE doc.revision <> n.revision OR doc.form <> $form OR doc.entityType <> n.entityType
END AS differs
WITH n, isBare, differs, CASE WHEN differs THEN EXISTS { (:Dirty {entityId: n.id}) } ELSE false END AS isMarked
RETURN n.entityType AS entityType, max(n.id) AS last, count(n) AS records,
  sum(CASE WHEN isBare THEN 0 ELSE 1 END) AS documents, sum(CASE WHEN isMarked THEN 1 ELSE 0 END) AS pending,
  collect(CASE WHEN differs AND NOT isMarked THEN n.id END) AS drifted
