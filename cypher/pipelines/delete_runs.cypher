// Deletes runs of pipelines.
UNWIND $rows AS row
MATCH (run:PipelineRun {key: row.key})
DETACH DELETE run
RETURN row.at AS at
