// Lists the edges that one source, or one of those that share it, currently asserts to run through a pipeline.
MATCH (said:Assertion {pipelineId: $id})
WHERE said.source = $source AND ($sourceName IS NULL OR said.sourceName = $sourceName) AND said.until IS NULL
MATCH (from:Entity {id: said.fromId})-[edge:FEEDS {id: said.edgeId}]->(to:Entity {id: said.toId})
RETURN from.id AS from, to.id AS to
