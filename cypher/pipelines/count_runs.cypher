// Counts the runs of a pipeline within a time range.
MATCH (run:PipelineRun)
USING INDEX SEEK run:PipelineRun(pipelineId, timestamp)
WHERE run.pipelineId = $id AND run.timestamp >= toInteger($start) AND run.timestamp <= toInteger($end)
RETURN count(run) AS total
