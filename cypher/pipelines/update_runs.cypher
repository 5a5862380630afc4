// Stores runs of pipelines; a run with the same timestamp is replaced.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
MERGE (run:PipelineRun {key: row.key})
SET run.pipelineId = row.id, run.timestamp = row.timestamp, run.json = row.json, run.bytes = row.bytes
MERGE (n)-[:HAS_RESULT]->(run)
RETURN row.at AS at
