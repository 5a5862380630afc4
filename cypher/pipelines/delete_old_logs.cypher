// Deletes the logs of all but the newest logged runs of pipelines, and of those with which they are too large; the runs stay.
UNWIND $rows AS row
CALL (row) {
  MATCH (run:PipelineRun)
  USING INDEX SEEK run:PipelineRun(pipelineId, loggedAt)
  WHERE run.pipelineId = row.id AND run.loggedAt >= 0
  WITH row, run ORDER BY run.pipelineId DESC, run.loggedAt DESC
  WITH row, collect(run) AS runs
  WITH row, [at IN range(1, size(runs) - 1)
    WHERE at >= row.runs
      OR reduce(sum = 0, one IN runs[..at + 1] | sum + coalesce(one.logBytes, 0)) > row.bytes | runs[at]] AS old
  UNWIND old AS run
  UNWIND range(run.logPieces - row.kept, run.logPieces) AS number
  OPTIONAL MATCH (piece:RunLogPiece {key: run.key + ':' + toString(number)})
  DETACH DELETE piece
  REMOVE run.loggedAt, run.logPieces, run.logLines, run.logBytes
}
RETURN row.at AS at
