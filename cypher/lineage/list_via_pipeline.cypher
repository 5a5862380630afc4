// Lists the edges that run through a pipeline, with the records at both ends.
MATCH (from:Entity)-[edge:FEEDS {pipelineId: $id}]->(to:Entity)
WITH from, edge, to
LIMIT toInteger($limit)
RETURN
  [from.id, to.id, edge.pipelineId, edge.detailsJson] AS edge,
  [n IN [from, to] | n{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted}] AS nodes
