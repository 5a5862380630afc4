// Lists a page of records, in the order of ids.
MATCH (n:Entity)
WHERE n.id > $after AND n.entityType IN $types AND n.doomed IS NULL
WITH n
ORDER BY n.id
LIMIT toInteger($limit)
RETURN n.id AS id
