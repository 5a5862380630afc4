// Reads edges between two records with their current assertions and the requested columns of both ends.
UNWIND $rows AS row
MATCH (from:Entity {id: row.from})
MATCH (to:Entity {id: row.to})
OPTIONAL MATCH (from)-[edge:FEEDS]->(to)
// The revision is read before the assertions: a change that comes between them is then refused as stale.
WITH row, from, to, edge{.id, .since, .revision} AS edge
RETURN
  row.at AS at,
  edge,
  CASE WHEN edge IS NULL THEN [] ELSE COLLECT {
    MATCH (said:Assertion {edgeId: edge.id})
    WHERE said.until IS NULL
    RETURN said{.id, .source, .sourceName, .since, .order, .createdAt, .createdBy, .updatedAt, .updatedBy, .seenAt, .pipelineId, .contentJson}
  } END AS assertions,
  COLLECT {
    UNWIND row.keys AS key
    MATCH (column:Column {key: key})
    RETURN [key, column.fullyQualifiedName]
  } AS columns,
  COLLECT {
    UNWIND row.fromParts AS name
    MATCH (from)-[:SHOWS]->(part:Entity)
    WHERE part.name = name AND part.entityType = 'chart' AND NOT part.deleted
    RETURN [from.id, name, part.id] AS found
    UNION ALL
    UNWIND row.toParts AS name
    MATCH (to)-[:SHOWS]->(part:Entity)
    WHERE part.name = name AND part.entityType = 'chart' AND NOT part.deleted
    RETURN [to.id, name, part.id] AS found
  } AS parts
