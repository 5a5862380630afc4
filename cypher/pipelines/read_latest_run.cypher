// Returns the newest run of each pipeline.
UNWIND $ids AS id
CALL (id) {
  MATCH (run:PipelineRun)
  USING INDEX SEEK run:PipelineRun(pipelineId, timestamp)
  WHERE run.pipelineId = id AND run.timestamp >= 0
  WITH run ORDER BY run.pipelineId DESC, run.timestamp DESC
  LIMIT 1
  RETURN run.json AS json
}
RETURN id, json
