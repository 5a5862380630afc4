// Stores what queries cost at a moment. A later report on the same moment replaces the earlier one and keeps its id.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
MERGE (cost:QueryCost {key: row.key})
  ON CREATE SET cost.id = row.costId
MERGE (n)-[:HAS_COST]->(cost)
SET cost += row.values
RETURN row.at AS at
