// Counts the records of some types.
MATCH (n:Entity)
WHERE n.id > '' AND n.entityType IN $types AND n.doomed IS NULL
RETURN count(n) AS total
