// Lists a page of a pipeline's runs within a time range, newest first.
MATCH (run:PipelineRun)
USING INDEX SEEK run:PipelineRun(pipelineId, timestamp)
WHERE run.pipelineId = $id AND run.timestamp >= toInteger($start) AND run.timestamp <= toInteger($end)
WITH run ORDER BY run.pipelineId DESC, run.timestamp DESC
LIMIT toInteger($limit)
RETURN run.timestamp AS timestamp, run.json AS json
