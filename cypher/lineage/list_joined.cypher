// Lists the records of some types at the ends of edges.
MATCH (from)-[:FEEDS]->(to)
UNWIND [from, to] AS n
WITH DISTINCT n
WHERE n.entityType IN $types
RETURN n.id AS id, n.entityType AS entityType
