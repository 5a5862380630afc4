// The records of a kind that a caller's rights have to be judged for.
MATCH (n:Entity)
WHERE n.entityType = $entityType AND n.deleted IN $deletions AND n.sortKey > ''
WITH n LIMIT toInteger($limit)
RETURN n.id AS id
