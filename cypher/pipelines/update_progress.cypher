// Stores how far runs have come. Each report replaces the one before.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
MERGE (run:PipelineRun {key: row.key})
  ON CREATE SET run.pipelineId = row.id
MERGE (n)-[:HAS_RESULT]->(run)
SET run.progress = row.json
RETURN row.at AS at
