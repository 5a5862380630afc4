// Returns the newest runs of pipelines, newest first.
UNWIND $ids AS id
CALL (id) {
  MATCH (run:PipelineRun)
  USING INDEX SEEK run:PipelineRun(pipelineId, timestamp)
  WHERE run.pipelineId = id AND run.timestamp >= 0
  WITH run ORDER BY run.pipelineId DESC, run.timestamp DESC
  LIMIT 10
  RETURN run.json AS row
}
RETURN id, row
