// Ends the edges that join records standing for columns within edges of lineage, and keeps them as lineage of the past.
UNWIND $rows AS row
MATCH (from)-[pair:DERIVES {edgeId: row.edgeId}]->(to)
WHERE row.partId IN [from.id, to.id]
CREATE (from)-[past:DERIVED]->(to)
SET past = properties(pair), past.until = row.until
DELETE pair
RETURN DISTINCT row.at AS at
