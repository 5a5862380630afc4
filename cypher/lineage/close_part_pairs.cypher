// Closes the column pairs of edges that involve records representing columns, and keeps them as past lineage.
UNWIND $rows AS row
MATCH (from)-[pair:DERIVES {edgeId: row.edgeId}]->(to)
WHERE row.partId IN [from.id, to.id]
CREATE (from)-[past:DERIVED]->(to)
SET past = properties(pair), past.until = row.until
DELETE pair
RETURN DISTINCT row.at AS at
