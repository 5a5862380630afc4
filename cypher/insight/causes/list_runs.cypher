// Lists the newest runs of some pipelines up to a moment, newest first, with the text of those in which something failed.
UNWIND $ids AS id
CALL (id) {
  MATCH (run:PipelineRun)
  USING INDEX SEEK run:PipelineRun(pipelineId, timestamp)
  WHERE run.pipelineId = id AND run.timestamp >= 0 AND run.timestamp <= $to
  WITH run ORDER BY run.pipelineId DESC, run.timestamp DESC
  LIMIT toInteger($limit)
  RETURN collect([
    run.timestamp,
    CASE WHEN run.timestamp >= $from AND run.json CONTAINS '"executionStatus":"Failed"' THEN run.json END
  ]) AS runs
}
RETURN id, runs
