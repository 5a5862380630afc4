// Answers a page of the runs of a pipeline within a span of time, the newest first.
MATCH (run:PipelineRun)
USING INDEX SEEK run:PipelineRun(pipelineId, timestamp)
WHERE run.pipelineId = $id AND run.timestamp >= toInteger($start) AND run.timestamp <= toInteger($end)
WITH run ORDER BY run.pipelineId DESC, run.timestamp DESC
LIMIT toInteger($limit)
RETURN run.timestamp AS timestamp, run.json AS json
