// Deletes the oldest runs of pipelines, with their logs, that the kept bytes have no room for.
UNWIND $rows AS row
CALL (row) {
  MATCH (run:PipelineRun)
  USING INDEX SEEK run:PipelineRun(pipelineId, timestamp)
  WHERE run.pipelineId = row.id AND run.timestamp >= 0
  WITH row, run ORDER BY run.pipelineId DESC, run.timestamp DESC
  WITH row, collect(run) AS runs
  WITH row, runs, reduce(room = {left: row.bytes, kept: 0}, run IN runs |
    CASE
      WHEN room.left >= coalesce(run.bytes, 0) THEN {left: room.left - coalesce(run.bytes, 0), kept: room.kept + 1}
      ELSE {left: -1, kept: room.kept}
    END).kept AS kept
  UNWIND runs[kept..] AS run
  UNWIND range(coalesce(run.logPieces, 0) - row.pieces, coalesce(run.logPieces, 0)) AS number
  OPTIONAL MATCH (piece:RunLogPiece {key: run.key + ':' + toString(number)})
  DETACH DELETE piece
  WITH DISTINCT run
  DETACH DELETE run
}
RETURN row.at AS at
