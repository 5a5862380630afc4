// Closes the column pairs of edges, either all or the named ones, and keeps them as past lineage.
UNWIND $rows AS row
MATCH (from)-[pair:DERIVES {edgeId: row.edgeId}]->(to)
WHERE row.pairs IS NULL
  OR coalesce(from.key, from.name) + '\n' + coalesce(to.key, to.name) IN row.pairs
CREATE (from)-[past:DERIVED]->(to)
SET past = properties(pair), past.until = row.until
DELETE pair
RETURN DISTINCT row.at AS at
