// Ends the edges between columns that belong to edges of lineage, all of them or those between the columns that are
// named, and keeps them as lineage of the past.
UNWIND $rows AS row
MATCH (from)-[pair:DERIVES {edgeId: row.edgeId}]->(to)
WHERE row.pairs IS NULL
  OR coalesce(from.key, from.name) + '\n' + coalesce(to.key, to.name) IN row.pairs
CREATE (from)-[past:DERIVED]->(to)
SET past = properties(pair), past.until = row.until
DELETE pair
RETURN DISTINCT row.at AS at
