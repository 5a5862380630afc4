// Lists the edges from some records to others.
MATCH (from:Entity)-[edge:FEEDS]->(to:Entity)
WHERE from.id IN $near AND to.id IN $ids
WITH from, edge, to
LIMIT toInteger($limit)
RETURN [from.id, to.id, edge.pipelineId, edge.detailsJson] AS edge
